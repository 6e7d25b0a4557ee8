// SPDX-License-Identifier: Apache-2.0
// pending_requests: a session's requests whose replies are not yet delivered, in the order of their replies.
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

// The origin of a request: the user, or one of the session's own tasks.
enum class purpose { user, poll, forget, reap, close };

// A request whose reply is not delivered yet. Either the client has sent the request, or its reply is known and waits
// for the replies to earlier requests.
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
    // Adds a known reply, which waits for the replies to earlier requests.
    void settle(core::reply&& reply);
    // Removes and returns the first request, to which the server's next reply belongs.
    [[nodiscard]] std::optional<pending_request> take_first();
    // Puts the request back in front. If its reply is known, the request for the folder's children that was sent with
    // it gets the same reply.
    void put_back(pending_request&& request);
    // Removes the first request and returns its reply, if the reply is known; otherwise returns nothing.
    [[nodiscard]] std::optional<core::reply> take_settled();
    [[nodiscard]] std::deque<pending_request> take_all() { return std::exchange(queue_, {}); }

    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    // The send time of the first request; nothing if its reply is already known, or if there is no request.
    [[nodiscard]] std::optional<core::time_point> awaited_since() const;
    [[nodiscard]] std::size_t unanswered() const;
    [[nodiscard]] std::set<std::string> watched_paths() const;

private:
    std::deque<pending_request> queue_;
};

}  // namespace turnstile::redis
