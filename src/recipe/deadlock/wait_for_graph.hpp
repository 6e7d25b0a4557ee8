// SPDX-License-Identifier: Apache-2.0
// wait_for_graph: which owner waits for which other owner in the queues of several exclusive locks, and the cycles of
// these waits.
//
// A contender that is not first in its queue waits for the owners of all contenders ahead. An owner can continue only
// after all its waits have ended. So there is a deadlock exactly if the graph of owners has a cycle (the AND model: E.
// Knapp, "Deadlock detection in distributed databases", ACM Computing Surveys 19, 1987). The graph omits contenders
// without an owner.
//
// Every cycle has one newest wait. When that wait began, all other waits of the cycle existed, with the contenders that
// block them, since a contender ahead in a queue is older. So the newest waiter can see the cycle from the start. The
// rule "the newest waiter gives up" chooses exactly one wait, although the members exchange no messages.
//
// Thread safety: a pure value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/deadlock_detector.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::detail {

// The contenders of one lock in queue order.
struct lock_queue {
    std::string path;
    std::vector<contender> contenders;
};

// Removes the contenders of each session that the reading client has left. No call uses these contenders any more,
// although the servers have not ended the session yet. `over` gets a session id, and returns true if the client has
// left this session.
void forget_left_over(std::vector<lock_queue>& queues,
                      const std::function<bool(std::int64_t session)>& over);

class wait_for_graph {
public:
    explicit wait_for_graph(std::vector<lock_queue> queues);
    wait_for_graph(wait_for_graph&&) = default;  // not copyable, since it refers to its own queues
    wait_for_graph& operator=(wait_for_graph&&) = default;

    // Returns the shortest cycle for each wait that is the newest of a cycle; the newest wait first.
    [[nodiscard]] std::vector<deadlock> cycles() const;
    // Returns the cycle whose newest wait is the contender `name` of the lock on `path`. Ignores other waits of the
    // same owner for that lock: they may be left over in a session that the servers have not ended yet.
    [[nodiscard]] std::optional<deadlock> cycle_closed_by(std::string_view path,
                                                          std::string_view name) const;

private:
    struct place {
        std::size_t queue = 0;
        std::size_t position = 0;
    };
    class search;

    [[nodiscard]] const contender& at(place where) const {
        return queues_[where.queue].contenders[where.position];
    }
    [[nodiscard]] const std::string& owner(place where) const { return at(where).metadata.owner; }
    [[nodiscard]] std::vector<place> waits_that_may_close() const;
    [[nodiscard]] std::optional<deadlock> cycle_closed_by(place newest) const;

    std::vector<lock_queue> queues_;
    std::map<std::string_view, std::size_t> contenders_;    // number of contenders, by owner
    std::map<std::string_view, std::vector<place>> waits_;  // by owner
};

// Returns the path of each lock in the cycle once.
[[nodiscard]] std::vector<std::string> locks_of(const deadlock& found);

// True if `queues` contain every znode of the cycle `found`. `queues` must be read after the queues in which `found`
// was found. Then all these znodes existed at an instant between the two reads, each behind the contender that blocks
// it.
[[nodiscard]] bool still_stands(const deadlock& found, const std::vector<lock_queue>& queues);

}  // namespace turnstile::detail
