// SPDX-License-Identifier: Apache-2.0
// leader_watch: follows the leader of an election without taking part.
//
// Use it in a load balancer, a proxy or a client that must know which instance leads, and at which address.
//
//     turnstile::leader_watch watch{servers, "/election/scheduler", [](const auto& leader) {
//         connect_to(leader ? leader->data : "nowhere");
//     }};
//
// The library calls the listener with the leader at the first answer of the servers, and again whenever another term
// has begun or no participant leads. It does not see a term that begins and ends between two looks.
//
// Cost. Each `every` sends one request of constant size, however long the queue is: does the leader's znode still
// exist? While it exists, no other participant can lead. When it has gone, the next look costs one list and one read.
// The object sets no watch. So a change of the leader sends nothing to observers, and the observers of an election do
// not all ask in the same instant.
//
// Delay. The answer comes from the client's own server, which may be behind the leader of the servers. A new leader is
// seen at most `every` after that server knows it. How to use it: docs/how-to/election.md.
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
    // The time from one look to the next. A millisecond to ten years.
    boottime_clock::duration every = std::chrono::seconds{1};
};

// An observer of an election.
class TURNSTILE_EXPORT leader_watch {
public:
    // The type of the listener, which gets the leader, or an empty optional if no participant leads.
    using listener = std::function<void(const std::optional<participant>& leader)>;

    // Watches from now on. The library logs exceptions that the listener throws. Throws std::system_error: `bad_path`,
    // `bad_option` (an empty listener, `every`), `closed`.
    leader_watch(const client& servers, std::string_view path, listener on_change,
                 leader_watch_options options = {});
    // Refuses a temporary client: it would close at the end of the statement, and the watch with it.
    leader_watch(client&&, std::string_view, listener, leader_watch_options = {}) = delete;
    // Calls the listener no longer. Waits for a call in progress, unless the listener itself destroys the object.
    ~leader_watch();
    leader_watch(const leader_watch&) = delete;
    leader_watch& operator=(const leader_watch&) = delete;

    // Returns why the latest look failed (`not_connected`, `no_permission`, `closed` and others); empty after a
    // successful look. After a failure the object looks again, and does not call the listener meanwhile.
    [[nodiscard]] std::optional<error> failure() const;

private:
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
