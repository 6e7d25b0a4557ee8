// SPDX-License-Identifier: Apache-2.0
// pending_requests: the requests of a session without a delivered reply, in the order in which their replies come.
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/seam/seam.hpp"

namespace turnstile::redis {

// A request of a user, or a request of the session itself.
enum class purpose { user, poll, forget, reap, close };

// A request without a delivered reply. Either the client has sent the request, or the reply is known and waits for its
// turn.
struct pending_request {
    struct folder_list {
        core::ticket id{};
        core::operation op;
    };

    purpose why = purpose::user;
    core::ticket id{};
    core::time_point sent{};
    core::operation op;                  // with the servers' paths
    std::optional<folder_list> list;     // travels in one script with the create `op`
    std::string path;                    // for purpose::forget
    std::optional<core::reply> settled;  // the reply of a request that was not sent
};

class pending_requests {
public:
    void add(pending_request&& request) { queue_.push_back(std::move(request)); }
    // Stores a reply that waits for its turn.
    void settle(core::reply&& reply);
    // Returns the request that the server's next answer is for.
    [[nodiscard]] std::optional<pending_request> take_first();
    // Makes a request the first one again. If its reply is known, the reply is for its list as well.
    void put_back(pending_request&& request);
    // Returns the next reply if it is known.
    [[nodiscard]] std::optional<core::reply> take_settled();
    [[nodiscard]] std::deque<pending_request> take_all() { return std::exchange(queue_, {}); }

    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    // The send time of the first request; nothing if no answer of the server comes next.
    [[nodiscard]] std::optional<core::time_point> awaited_since() const;
    // The number of requests that the server answers.
    [[nodiscard]] std::size_t unanswered() const;
    // The paths on which these requests set watches.
    [[nodiscard]] std::set<std::string> watched_paths() const;

private:
    std::deque<pending_request> queue_;
};

}  // namespace turnstile::redis
