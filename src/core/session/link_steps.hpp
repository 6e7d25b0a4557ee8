// SPDX-License-Identifier: Apache-2.0
// link_steps: starts and ends sessions at the servers (epochs) and connections, and moves the session to another
// server. Updates the session's requests, contenders and commits accordingly (session_owners.hpp).
//
// Thread safety: none.
#pragma once

#include <string>

#include "core/session/session_owners.hpp"

namespace turnstile::core {

class link_steps {
public:
    explicit link_steps(session_owners& owners) : owners_{owners} {}

    // Opens a session at the servers, and so begins an epoch. No session may be open.
    void open();
    void on_open_failed(const open_failed& failure);
    void on_clock_stepped(const clock_stepped& step);
    // Handles a link event. Returns true if the event attached the session. Then the caller must execute the actions
    // that are due (timer_steps).
    [[nodiscard]] bool on_link(const link_event& event);
    void close();
    void on_closed();

    // Ends the present epoch. The servers have ended its session, or the client gives the session up. Opens another
    // session later, unless the client closes.
    void end_epoch(const error& why, close_session::how manner);
    void replace_if_needed();
    void enter(session_state next, const std::string& reason);

    // ---- the choice of the server ----
    // look_elsewhere: called when the connection does not answer; asks other servers for a leader. found_elsewhere:
    // moves to the leader that answered, if the move puts no hold and no queue position at risk (docs/why/silence.md).
    void look_elsewhere();
    void found_elsewhere(const link_event& event);

private:
    [[nodiscard]] bool attach(const link_event& event);
    void attach_read_only(const link_event& event);
    void detach();
    void learn_role(const link_event& event);
    void leave_session();
    void go_on_attached();
    void refuse_for_good(const error& why);
    void revoke_all(const error& why);
    // True if a move to another server puts no contender at risk: the lease lasts longer than the move (at most
    // session_requests::silence_limit()), or no contender would lose anything by the end of the session.
    [[nodiscard]] bool lease_outlives_move() const;

    session_owners& owners_;
};

}  // namespace turnstile::core
