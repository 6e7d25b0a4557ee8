// SPDX-License-Identifier: Apache-2.0
// creation_batch: creates of contenders that enter their queues at the same time, sent in one transaction.
//
// While creation_limits::under_way creates are in progress, further contenders wait in the state `outside`. After the
// next answer they enter together. A contender that comes alone enters at once. Creates in one folder never share a
// transaction, so they need not wait for one another: a create in the folder of the previous create does not count
// towards creation_limits::under_way.
//
//     if (batch.is_open()) { batch.begin(); ...; batch.add({contender, id, znode}); }
//     for (auto& group : batch.take()) batch.sent(send(creation_request(group, probe)), group);
//     ...
//     batch.answered(id);
//
// Between `begin` and `take` the creates gather. The creates of one transaction are in different folders: all znodes of
// a transaction have one czxid, which becomes the hold's token, and two holds of one lock must never have the same
// token. The C client does not report the czxid of a znode that was created in a transaction, but it reports the stat
// after a set. So the transaction also creates a probe znode, sets it and removes it again; no client ever sees the
// probe.
//
// docs/why/mutex.md, step 1, says what the session does if a request is refused or its answer is lost.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct creation {
    contender_id contender{};
    ticket id{};  // the ticket by which the contender expects its answer
    create_op znode;
    friend bool operator==(const creation&, const creation&) = default;
};

// Limits of one request: number of creates, and bytes of their paths and data. removal_queue.hpp explains these
// values, which are also the limits for removals.
inline constexpr std::size_t k_most_creations = 64;
inline constexpr std::size_t k_most_creation_bytes = 16 * 1024;
// While this many creates are in progress, alone or in transactions, further contenders wait. With two creates in
// progress, the servers execute one create while the answer to the other create is on its way.
inline constexpr std::size_t k_creations_under_way = 2;

struct creation_limits {
    std::size_t under_way = k_creations_under_way;
    std::size_t together = k_most_creations;
    friend bool operator==(const creation_limits&, const creation_limits&) = default;
};

class creation_batch {
public:
    explicit creation_batch(const creation_limits& limits = {}) : limits_{limits} {}

    // ---- the creates that wait for one transaction ----
    void begin() noexcept { gathers_ = true; }
    [[nodiscard]] bool gathers() const noexcept { return gathers_; }
    [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
    [[nodiscard]] bool is_full() const noexcept { return waiting_.size() >= limits_.together; }
    void add(creation&& added);
    // Returns all creates that have gathered since begin(), in order, in one group for each transaction. Ends the
    // gathering.
    [[nodiscard]] std::vector<std::vector<creation>> take();

    // ---- the requests in progress ----
    // True if a contender may enter its queue now: creates gather for a transaction, or fewer creates than the limit
    // are in progress.
    [[nodiscard]] bool is_open() const noexcept {
        return gathers_ || creates_under_way_ < limits_.under_way;
    }
    // Counts the creates of a request that the session sends.
    void sent(ticket request, std::span<const creation> creates);
    void answered(ticket request);
    // Called at a new connection: requests of earlier connections no longer count as in progress.
    void reattached();

    friend bool operator==(const creation_batch&, const creation_batch&) = default;

private:
    creation_limits limits_;
    std::vector<creation> waiting_;
    // For each request in progress, the number of its creates that count towards creation_limits::under_way.
    std::map<ticket, std::size_t> under_way_;
    std::size_t creates_under_way_ = 0;
    // The folder of the latest create, if that create was sent alone. Empty if no request is in progress.
    std::string latest_folder_;
    bool gathers_ = false;
};

// Makes one request for all creates. `probe`: a free name for a further znode, which the same request creates, sets and
// removes. The answer to the set contains the czxid of all these znodes.
[[nodiscard]] operation creation_request(const std::vector<creation>& all,
                                         const std::string& probe);
[[nodiscard]] reply creation_answer(const std::vector<creation>& all, std::size_t which,
                                    const reply& together);
// Returns the index of the create that the servers refused; nothing if the answer names no create.
[[nodiscard]] std::optional<std::size_t> refused_creation(const std::vector<creation>& all,
                                                          const reply& together);
[[nodiscard]] reply refusal_of_creation(const creation& refused, server_error why,
                                        const reply& together);

}  // namespace turnstile::core
