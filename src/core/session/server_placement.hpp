// SPDX-License-Identifier: Apache-2.0
// server_placement: which server a session stays at, and from when on its contenders may enter there.
//
// | stage     | from                                            | contenders that come          |
// |-----------|-------------------------------------------------|-------------------------------|
// | undecided | the attach, where the server's role matters     | wait at the door              |
// | seeking   | a role that is not the leader's                 | wait; the move is an attach   |
// | settled   | the leader's role, or one that is good enough;  | enter, or fail where no lease |
// |           | no role, no leader, or too many moves           | is possible                   |
//
// Where leases are ample (lease.hpp) contenders enter at once, in any stage. A contender in a queue is kept from nothing.
// A role only says where to go: what a lease rests on is lease::role_known.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/lease/lease.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_core_settings.hpp"

namespace turnstile::core {

class server_placement {
public:
    explicit server_placement(const session_core_settings& settings)
        : place_{settings.place},
          roles_asked_{settings.roles_asked},
          roles_trusted_{settings.roles_trusted},
          relay_{settings.relay},
          servers_{settings.servers} {}

    // The process has stopped until now, as far as the gap between two events shows.
    void note_stop(time_point now) { awake_since_ = now; }
    void attach(const link_event& event, const lease& lease, bool closing, session_basics& basics);
    void detach() noexcept { stay_.reset(); }
    void leave() noexcept;

    // The server's role is known, or the leader was not found, or it is time to decide without.
    void learn(const link_event& event, const lease& lease, bool closing, session_basics& basics);
    void stay_here(const link_event& event, const lease& lease, session_basics& basics);
    void settle_or_seek(const lease& lease, session_basics& basics);
    // A contender may enter its queue at this server.
    [[nodiscard]] bool lets_in(const lease& lease) const {
        return stay_ && (stay_->at == stage::settled || lease.is_ample());
    }

    // From when on nothing makes the lease certain on this connection; nothing: not by time alone.
    [[nodiscard]] std::optional<time_point> no_lease(const lease& lease) const;
    // The wait for a role or a leader ends, or the search for the leader begins again.
    [[nodiscard]] std::optional<time_point> due(const lease& lease) const;

    // Warns, once in an epoch, if no lease lasts at this server.
    void warn_if_short(const lease& lease, session_basics& basics);
    // That the session's time-out is too short for the server, and what helps.
    [[nodiscard]] std::string short_lease(const lease& lease) const;

    friend bool operator==(const server_placement&, const server_placement&) = default;

private:
    enum class stage { undecided, seeking, settled };
    struct stay_at_server {
        std::uint64_t connection = 0;
        std::string server;
        time_point attached_at{};
        time_point since{};  // of the stage
        stage at = stage::undecided;
        std::optional<server_role> told{};  // `unknown` if the server does not tell
        bool tells_pace = false;
        bool leader_missing = false;  // no server says that it leads
        friend bool operator==(const stay_at_server&, const stay_at_server&) = default;
    };

    void take_note(const link_event& event);
    void decide(const lease& lease, bool closing, session_basics& basics);
    [[nodiscard]] bool is_to_move(const lease& lease, bool closing) const;
    void seek(session_basics& basics);
    void settle(const lease& lease, session_basics& basics);
    [[nodiscard]] std::string origin_of_bound() const;
    [[nodiscard]] std::string way_to_leader() const;

    placement place_;
    bool roles_asked_;
    bool roles_trusted_;
    std::optional<relay_terms> relay_;
    std::string servers_;
    std::optional<stay_at_server> stay_;
    int moves_ = 0;  // to the leader, since the session was there last in this epoch
    bool short_lease_told_ = false;  // in this epoch
    time_point awake_since_{};  // the end of the latest stop of the process, on whatever connection
};

}  // namespace turnstile::core
