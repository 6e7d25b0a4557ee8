// SPDX-License-Identifier: Apache-2.0
// server_placement: decides at which server a session stays, and when its contenders may create their znodes there.
//
// | stage     | event that begins the stage                     | reaction of new contenders    |
// |-----------|-------------------------------------------------|-------------------------------|
// | undecided | a new connection, if the server's role matters  | wait                          |
// | seeking   | a role that is not the leader's                 | wait for the session's move   |
// | settled   | the leader's role, or a role that is sufficient;| enter, or fail if no lease    |
// |           | or the server reports no role, no leader is     | is possible                   |
// |           | found, or the session has moved too often       |                               |
//
// If a lease would outlive a change of servers (lease::is_ample), contenders enter at once in every stage. The stages
// do not affect a contender that is in a queue already. server_placement uses a role only to choose a server.
// lease::role_known decides whether a lease relies on the role.
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

    // Called when a gap between two events shows that the process stood still until now.
    void note_stop(time_point now) { awake_since_ = now; }
    void attach(const link_event& event, const lease& lease, bool closing, session_basics& basics);
    void detach() noexcept { stay_.reset(); }
    void leave() noexcept;

    // learn: called when the server's role is known. stay_here: called when no leader was found. settle_or_seek: called
    // at the time that due() has returned.
    void learn(const link_event& event, const lease& lease, bool closing, session_basics& basics);
    void stay_here(const link_event& event, const lease& lease, session_basics& basics);
    void settle_or_seek(const lease& lease, session_basics& basics);
    // True if a contender may enter its queue at this server.
    [[nodiscard]] bool lets_in(const lease& lease) const {
        return stay_ && (stay_->at == stage::settled || lease.is_ample());
    }

    // Returns the time after which no answer on this connection can make the lease valid. Returns nothing if the
    // lease can be kept, or while the session seeks the leader.
    [[nodiscard]] std::optional<time_point> no_lease(const lease& lease) const;
    [[nodiscard]] std::optional<time_point> due(const lease& lease) const;

    // Adds a warning if the session timeout is too short to keep a lease alive at this server. Warns only once in each
    // session at the servers.
    void warn_if_short(const lease& lease, session_basics& basics);
    // Returns a text that says that the session timeout is too short for this server, and what to do.
    [[nodiscard]] std::string short_lease(const lease& lease) const;

    friend bool operator==(const server_placement&, const server_placement&) = default;

private:
    enum class stage { undecided, seeking, settled };
    struct stay_at_server {
        std::uint64_t connection = 0;
        std::string server;
        time_point attached_at{};
        time_point since{};  // the start of the stage
        stage at = stage::undecided;
        std::optional<server_role> told{};  // `unknown` if the server does not report it
        bool tells_pace = false;
        bool leader_missing = false;  // true: no server reports that it leads
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
    int moves_ = 0;  // moves to the leader since this session was last at the leader
    bool short_lease_told_ = false;  // the warning was given in this session
    time_point awake_since_{};       // the end of the latest stop of the process, on any connection
};

}  // namespace turnstile::core
