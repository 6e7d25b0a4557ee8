// SPDX-License-Identifier: Apache-2.0
// client_life: all that a session_core knows and keeps, over all epochs; what it keeps of one epoch, and of one
// connection in it, is inside (session_epoch.hpp). What happens to it are steps:
//
// | steps           | for                                                             |
// |-----------------|-----------------------------------------------------------------|
// | link_steps      | opening, connections, the ends of epochs, closing               |
// | placement_steps | which server the session stays at                               |
// | contender_steps | acquisitions: what callers want, watches, what time brings      |
// | effect_steps    | what a contender asks for in an event                           |
// | request_steps   | requests: sent by themselves, shared, together, or again        |
// | reply_steps     | replies, to what they are for                                   |
// | commit_steps    | guarded writes of holds                                         |
// | lease_steps     | leases that end, break, or cannot be kept                       |
// | silence_steps   | connections that answer nothing                                 |
// | timer_steps     | what is due by time, in order: the lease first, then what follows|
// | due_times       | when the time has come for what: asks, and changes nothing      |
//
// Steps keep nothing: each holds a reference to the life, for one event.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/back_off.hpp"
#include "base/random.hpp"
#include "core/contender/contender_effects.hpp"
#include "core/lease/lease.hpp"
#include "core/session/commit_table.hpp"
#include "core/session/confirmations.hpp"
#include "core/session/contender_table.hpp"
#include "core/session/hold_clock.hpp"
#include "core/session/inquiries.hpp"
#include "core/session/second_looks.hpp"
#include "core/session/session_core_settings.hpp"
#include "core/session/session_epoch.hpp"
#include "core/session/session_messages.hpp"
#include "core/session/silence_watch.hpp"
#include "core/session/timetable.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::core {

// A session warns of so many folders in which contenders of several kinds stand, and of no more.
inline constexpr std::size_t k_most_mixed_folders = 64;

struct client_life {
    explicit client_life(session_core_settings given)
        : settings{std::move(given)},
          chance{settings.chance},
          reopening{settings.retry_first, settings.retry_longest},
          lease{settings.lease},
          silence{settings.connection_timeout},
          contenders{settings.watched_in_line} {}

    // ---- what is so ----
    // The connection to a server with a majority; none: requests have to wait.
    [[nodiscard]] server_connection* attached() { return epoch ? epoch->attached() : nullptr; }
    [[nodiscard]] const server_connection* attached() const {
        return epoch ? epoch->attached() : nullptr;
    }
    [[nodiscard]] std::uint64_t latest_connection() const noexcept {
        return epoch ? epoch->latest_connection : 0;
    }
    // The latest one's number among those of all sessions, as callers know it.
    [[nodiscard]] std::uint64_t connections() const noexcept {
        return earlier_connections + latest_connection();
    }
    [[nodiscard]] std::int64_t session_id() const noexcept { return epoch ? epoch->session_id : 0; }
    [[nodiscard]] std::size_t watched_paths() const noexcept {
        return epoch ? epoch->watches.interests().size() : 0;
    }
    // As the servers spell the paths.
    [[nodiscard]] std::size_t watched_bytes() const noexcept {
        if (!epoch) return 0;
        const auto& interests = epoch->watches.interests();
        return interests.bytes() + interests.size() * (settings.chroot + k_length_field);
    }
    [[nodiscard]] confirmation_pace pace() const { return {settings.confirm_every}; }
    [[nodiscard]] duration confirm_interval() const { return pace().interval(lease); }
    // No caller can be served any more; why.
    [[nodiscard]] std::optional<error> refused() const {
        if (refusal) return refusal;
        return closing ? std::optional{error{errc::closed}} : std::nullopt;
    }

    session_core_settings settings;
    base::random chance;
    base::back_off reopening;
    time_point now{};
    time_point awake_since{};  // the end of the latest stop of the process, on whatever connection
    session_state state = session_state::connecting;

    std::uint64_t epochs = 0;                 // opened so far: the number of the latest
    std::uint64_t earlier_connections = 0;    // of the epochs before this one
    std::vector<std::int64_t> past_sessions;  // the latest ones before this one
    std::optional<session_epoch> epoch;
    std::optional<time_point> reopen_at{};  // while there is no epoch
    std::optional<error> not_opened{};      // why the latest attempt to open a session failed
    std::optional<error> refusal{};         // for good: credentials
    bool closing = false;
    bool containers_refused = false;  // by servers that do not know them
    bool containers_doubted = false;  // a connection ended before a container's create was answered
    bool zookeeper_known = false;     // the servers are Apache ZooKeeper's

    // Of the latest epoch, whose holds may be judged by it until the next one is opened.
    core::lease lease;
    silence_watch silence;

    contender_table contenders;
    hold_clock clock;
    second_looks looks;
    core::inquiries inquiries;
    commit_table commits;
    timetable<awaited_id> deadlines;
    ticket_counter tickets;
    std::uint64_t leftovers = 0;             // znodes of abandoned creates that were found
    std::vector<std::string> mixed_folders;  // the log was told that kinds share them
    std::vector<action> actions;
    std::vector<contender_effect> effects;  // of the event that is handled; empty between events

    friend bool operator==(const client_life&, const client_life&) = default;
};

}  // namespace turnstile::core
