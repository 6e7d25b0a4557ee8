// SPDX-License-Identifier: Apache-2.0
// leader_watch: follows the leader of an election without taking part.
//
// Purpose: a load balancer, a proxy or a client that has to know which instance leads, and at which address.
//
//     turnstile::leader_watch watch{servers, "/election/scheduler", [](const auto& leader) {
//         connect_to(leader ? leader->data : "nowhere");
//     }};
//
// The listener is called with the leader at the first answer of the servers, and again whenever another term has begun
// or none leads. Terms that begin and end between two looks are not seen.
//
// Cost: one request of constant size each `every`, however long the queue is: whether the znode of the leader is still
// there; while it is, no other participant can lead. When it has gone: one list and one read. No watch is set, so a
// change of the leader sends nothing to observers, and those of an election do not all ask in the same instant.
// The answer is that of the client's own server, which may be behind by what it has not heard yet; a new leader is
// seen `every` later at most. How to use it: docs/how-to/election.md.
//
// Thread safety: all members from any thread. The object has one thread, which calls the listener.
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

struct leader_watch_options {
    election_protocol protocol = election_protocol::selector;
    // From one look to the next. A millisecond to ten years.
    boottime_clock::duration every = std::chrono::seconds{1};
};

class TURNSTILE_EXPORT leader_watch {
public:
    // Nothing: no participant leads.
    using listener = std::function<void(const std::optional<participant>& leader)>;

    // Looks from now on. Throws std::system_error: bad_path, bad_option (an empty listener, `every`), closed. What the
    // listener throws is logged.
    leader_watch(const client& servers, std::string_view path, listener on_change,
                 leader_watch_options options = {});
    // Calls the listener no more; waits for a call that is under way, except from inside it.
    ~leader_watch();
    leader_watch(const leader_watch&) = delete;
    leader_watch& operator=(const leader_watch&) = delete;

    // Why the latest look has not told the leader: not_connected, no_permission, closed, ... It looks again, and the
    // listener hears nothing meanwhile. Nothing: it has.
    [[nodiscard]] std::optional<error> failure() const;

private:
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
