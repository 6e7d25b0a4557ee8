// SPDX-License-Identifier: Apache-2.0
// creation_batch: znodes of a session's contenders that enter their queues at the same time, created in one
// transaction.
//
// While creation_limits::under_way requests with creates are in progress, further contenders wait outside. After the
// next answer they enter together. A contender that comes alone enters at once.
//
//     if (batch.is_open()) { batch.begin(); ...; batch.add({contender, id, znode}); }
//     for (auto& group : batch.take()) batch.sent(send(creation_request(group, probe)));
//     ...
//     batch.answered(id);
//
// Between `begin` and `take` the creates gather. The creates of one transaction are in different folders: all znodes of
// a transaction have one czxid, which becomes a hold's token, and two holds of one lock must never have the same token.
// The C client does not report the czxid of a znode that was created in a transaction, but it reports the stat after a
// set. So the same transaction creates a probe znode, sets it and removes it again; no client ever sees it.
//
// docs/why/mutex.md, step 1, explains a refused or lost request. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct creation {
    contender_id contender{};
    ticket id{};  // the contender's own ticket for the answer
    create_op znode;
    friend bool operator==(const creation&, const creation&) = default;
};

// Limits of one request: creates, and bytes of paths and data. The same as in removal_queue.hpp, for the same reasons.
inline constexpr std::size_t k_most_creations = 64;
inline constexpr std::size_t k_most_creation_bytes = 16 * 1024;
// Number of requests with creates in progress before other contenders wait. Below it no contender waits for an answer,
// so that a few threads keep the latency of single requests.
inline constexpr std::size_t k_creations_under_way = 8;

struct creation_limits {
    std::size_t under_way = k_creations_under_way;
    std::size_t together = k_most_creations;
    friend bool operator==(const creation_limits&, const creation_limits&) = default;
};

class creation_batch {
public:
    explicit creation_batch(const creation_limits& limits = {}) : limits_{limits} {}

    // ---- one transaction ----
    void begin() noexcept { gathers_ = true; }
    [[nodiscard]] bool gathers() const noexcept { return gathers_; }
    [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
    [[nodiscard]] bool is_full() const noexcept { return waiting_.size() >= limits_.together; }
    void add(creation&& added);
    // Returns all creates in order, in groups of one transaction each. Ends the gathering.
    [[nodiscard]] std::vector<std::vector<creation>> take();

    // ---- the requests in progress ----
    // True if a contender may enter now: creates gather, or few requests with creates are in progress.
    [[nodiscard]] bool is_open() const noexcept {
        return gathers_ || under_way_.size() < limits_.under_way;
    }
    void sent(ticket request) { under_way_.insert(request); }
    void answered(ticket request) { under_way_.erase(request); }
    // A new connection: requests of an earlier one no longer count as in progress.
    void reattached() { under_way_.clear(); }

    friend bool operator==(const creation_batch&, const creation_batch&) = default;

private:
    creation_limits limits_;
    std::vector<creation> waiting_;
    std::set<ticket> under_way_;
    bool gathers_ = false;
};

// A single request for all creates. `probe`: a name that no znode has.
[[nodiscard]] operation creation_request(const std::vector<creation>& all,
                                         const std::string& probe);
// The answer to one of the creates, from the answer to the transaction.
[[nodiscard]] reply creation_answer(const std::vector<creation>& all, std::size_t which,
                                    const reply& together);
// The index of the create that the servers refused, from the answer to a transaction that was refused for one of its
// parts. Nothing: the answer names no create.
[[nodiscard]] std::optional<std::size_t> refused_creation(const std::vector<creation>& all,
                                                          const reply& together);
// The answer to that create.
[[nodiscard]] reply refusal_of_creation(const creation& refused, server_error why,
                                        const reply& together);

}  // namespace turnstile::core
