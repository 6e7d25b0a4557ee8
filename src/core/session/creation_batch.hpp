// SPDX-License-Identifier: Apache-2.0
// creation_batch: the znodes of a session's contenders that are to enter their queues in one go, in one transaction.
//
// Between `begin` and `take` they gather. Those that go together stand in different folders: all znodes of a
// transaction have one czxid, which is a hold's token, and two holds of one lock never have the same. The C client does
// not tell the czxid of a znode that is created in a transaction, but it tells the stat that a set leaves: a probe znode
// is made, set and removed again in the same transaction, and nobody ever sees it.
//
// docs/why/mutex.md, step 1, has what becomes of a request that is refused or lost. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct creation {
    acquisition_id contender{};
    ticket id{};  // by which the contender knows its answer
    create_op znode;
    friend bool operator==(const creation&, const creation&) = default;
};

// So many in one request, of so many bytes of paths and data: the limits of removal_queue.hpp, for its reasons.
inline constexpr std::size_t k_most_creations = 64;
inline constexpr std::size_t k_most_creation_bytes = 16 * 1024;

class creation_batch {
public:
    void begin() noexcept { gathers_ = true; }
    [[nodiscard]] bool gathers() const noexcept { return gathers_; }
    void add(creation&& added);
    // All of them, in groups that go together, in the order in which they came; nothing gathers any more.
    [[nodiscard]] std::vector<std::vector<creation>> take();

    friend bool operator==(const creation_batch&, const creation_batch&) = default;

private:
    std::vector<creation> waiting_;
    bool gathers_ = false;
};

// One request for all of them. `probe`: a name that no znode has.
[[nodiscard]] operation creation_request(const std::vector<creation>& all,
                                         const std::string& probe);
// What the answer to that request says of one of them, as if it had been asked for by itself.
[[nodiscard]] reply creation_answer(const std::vector<creation>& all, std::size_t which,
                                    const reply& together);

}  // namespace turnstile::core
