// SPDX-License-Identifier: Apache-2.0
// leader_watch: follows the leader of an election without taking part.
//
// Use it in a load balancer, a proxy or a client that must know which instance leads, and the address of that instance.
//
//     turnstile::leader_watch watch{servers, "/election/scheduler", [](const auto& leader) {
//         connect_to(leader ? leader->data : "nowhere");
//     }};
//
// The object asks the servers for the leader once in each interval `every`. It calls the listener after the first
// answer, and again after each answer that shows a new term (a participant has begun to lead) or that no participant
// leads. It misses a term that begins and ends between two requests.
//
// Cost. In each interval the object sends one request of constant size, however long the queue is: does the leader's
// znode still exist? While it exists, no other participant can lead. When the znode is gone, the object reads the list
// of participants and the new leader's znode: two more requests. The object sets no watch at the servers. So after a
// change of the leader the observers do not all send requests at the same instant.
//
// Delay. The answer comes from the server to which the client is connected, and that server may lag behind the servers'
// leader. The object sees a new leader at most one interval after that server knows of it. How to use a leader_watch:
// docs/how-to/election.md.
//
// Thread safety: any thread may call any member. The object has one thread, which calls the listener.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "turnstile/client.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/export.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/participant.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// The options of a leader_watch.
struct leader_watch_options {
    // The protocol of the participants.
    election_protocol protocol = election_protocol::selector;
    // The interval between two requests. A millisecond to ten years.
    boottime_clock::duration every = std::chrono::seconds{1};
};

// An observer of an election.
class TURNSTILE_EXPORT leader_watch {
public:
    // The type of the listener. Its argument is the leader, or an empty optional if no participant leads.
    using listener = std::function<void(const std::optional<participant>& leader)>;

    // Starts to follow the leader, and calls `on_change` with it. The library logs exceptions that the listener throws.
    // Throws std::system_error: `bad_path`, `bad_option` (the listener is empty, or `every` is out of range), `closed`
    // (`servers` was moved from).
    leader_watch(const client& servers, std::string_view path, listener on_change,
                 leader_watch_options options = {});
    // Refuses a temporary client, which would close at the end of the statement.
    leader_watch(client&&, std::string_view, listener, leader_watch_options = {}) = delete;
    // Ends the calls of the listener. Waits for a call in progress, unless the listener itself destroys the object.
    ~leader_watch();
    leader_watch(const leader_watch&) = delete;
    leader_watch& operator=(const leader_watch&) = delete;

    // Returns the error of the latest request (`not_connected`, `no_permission`, `closed` and others); empty if that
    // request succeeded. After a failure the object asks again, and does not call the listener meanwhile.
    [[nodiscard]] std::optional<error> failure() const;

private:
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
