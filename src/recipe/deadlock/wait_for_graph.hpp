// SPDX-License-Identifier: Apache-2.0
// wait_for_graph: which owner waits for which over the queues of several exclusive locks, and the cycles in it.
//
// A contender that is not the first of its queue waits for the owners of all ahead of it; an owner
// goes on when all its waits have ended. So there is a deadlock exactly if the owners' graph has a
// cycle (the AND model: E. Knapp, "Deadlock detection in distributed databases", ACM Computing Surveys 19,
// 1987). Contenders without an owner are left out.
//
// Every cycle has one newest wait. When it came, all the others were there, with the contenders that block
// them, since a contender ahead in a queue is older. So the newest waiter can see the cycle from the start,
// and the rule "the newest gives up" chooses exactly one wait, though the members exchange no messages.
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

// Takes out contenders whose sessions are over for the client that looks: no call waits or holds by them, though the
// servers have not ended those sessions yet. `over` gets session ids.
void forget_left_over(std::vector<lock_queue>& queues,
                      const std::function<bool(std::int64_t session)>& over);

class wait_for_graph {
public:
    explicit wait_for_graph(std::vector<lock_queue> queues);
    wait_for_graph(wait_for_graph&&) = default;  // not copyable: it refers to its own queues
    wait_for_graph& operator=(wait_for_graph&&) = default;

    // For each wait that is the newest of a cycle, its shortest cycle; the newest wait first.
    [[nodiscard]] std::vector<deadlock> cycles() const;
    // The cycle whose newest wait is the contender `name` of the lock on `path`. Other waits of its owner there do
    // not count: an earlier wait may be left from a session that the client has lost and the servers have not ended.
    [[nodiscard]] std::optional<deadlock> cycle_closed_by(std::string_view path,
                                                          std::string_view name) const;

private:
    // A contender, by its queue and its place there.
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
    std::map<std::string_view, std::size_t> contenders_;    // the number of contenders, by owner
    std::map<std::string_view, std::vector<place>> waits_;  // by owner
};

// The paths of the locks in the cycle, each once.
[[nodiscard]] std::vector<std::string> locks_of(const deadlock& found);

// True if `queues`, which must be read after the queues of `found`, contain every znode of the cycle: then all were
// there at the instant between the two looks, each behind the contender that blocks it.
[[nodiscard]] bool still_stands(const deadlock& found, const std::vector<lock_queue>& queues);

}  // namespace turnstile::detail
