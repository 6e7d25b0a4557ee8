// SPDX-License-Identifier: Apache-2.0
// creation_batch: znodes of a session's contenders that enter their queues at the same time, created in one
// transaction.
//
// Between `begin` and `take` the creates gather. The creates of one transaction are in different folders: all znodes of
// a transaction have one czxid, which becomes a hold's token, and two holds of one lock must never have the same token.
// The C client does not report the czxid of a znode that was created in a transaction, but it reports the stat after a
// set. So the same transaction creates a probe znode, sets it and removes it again; no client ever sees it.
//
// docs/why/mutex.md, step 1, explains a refused or lost request. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct creation {
    acquisition_id contender{};
    ticket id{};  // the contender's own ticket for the answer
    create_op znode;
    friend bool operator==(const creation&, const creation&) = default;
};

// Limits of one request: creates, and bytes of paths and data. The same as in removal_queue.hpp, for the same reasons.
inline constexpr std::size_t k_most_creations = 64;
inline constexpr std::size_t k_most_creation_bytes = 16 * 1024;

class creation_batch {
public:
    void begin() noexcept { gathers_ = true; }
    [[nodiscard]] bool gathers() const noexcept { return gathers_; }
    void add(creation&& added);
    // Returns all creates in order, in groups of one transaction each. Ends the gathering.
    [[nodiscard]] std::vector<std::vector<creation>> take();

    friend bool operator==(const creation_batch&, const creation_batch&) = default;

private:
    std::vector<creation> waiting_;
    bool gathers_ = false;
};

// A single request for all creates. `probe`: a name that no znode has.
[[nodiscard]] operation creation_request(const std::vector<creation>& all,
                                         const std::string& probe);
// The answer to one of the creates, from the answer to the transaction.
[[nodiscard]] reply creation_answer(const std::vector<creation>& all, std::size_t which,
                                    const reply& together);

}  // namespace turnstile::core
