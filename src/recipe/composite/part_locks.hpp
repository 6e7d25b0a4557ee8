// SPDX-License-Identifier: Apache-2.0
// part_locks: the locks of a multi_lock in their canonical order. Can try several of them at once.
//
// Thread safety: all members from any thread; nothing changes after the constructor.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "client/session_hold.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "turnstile/any_lock.hpp"

namespace turnstile::detail {

class part_locks {
public:
    using started = std::vector<result<std::shared_ptr<session_hold>>>;

    explicit part_locks(std::vector<any_lock> locks);

    [[nodiscard]] std::size_t size() const noexcept { return locks_.size(); }
    [[nodiscard]] const any_lock& operator[](std::size_t which) const { return locks_[which]; }
    [[nodiscard]] const std::string& paths() const noexcept { return paths_; }

    [[nodiscard]] bool can_be_tried_together() const noexcept { return queues_.size() > 1; }
    // Returns the client of the locks. Allowed only if can_be_tried_together().
    [[nodiscard]] const std::shared_ptr<client_impl>& servers() const {
        return queues_.front()->servers();
    }
    // Starts a try (an acquire that does not wait) for each of these locks. `request(queue, which)` makes the request
    // for a try.
    template <class Request>
    [[nodiscard]] started start_tries(const std::vector<std::size_t>& which,
                                      Request&& request) const {
        std::vector<result<acquire_request>> calls;
        calls.reserve(which.size());
        for (const auto each : which) calls.push_back(request(*queues_[each], each));
        return servers()->acquire_together(std::move(calls));
    }

    [[nodiscard]] error error_of(std::size_t which, const error& why) const;
    [[nodiscard]] error lease_ended() const;

private:
    const std::vector<any_lock> locks_;
    // The queue of each lock; empty if the locks cannot be tried together.
    const std::vector<const queue_lock*> queues_;
    const std::string paths_;
};

}  // namespace turnstile::detail
