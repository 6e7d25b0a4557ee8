// SPDX-License-Identifier: Apache-2.0
// link_steps: what the ends of epochs and connections, and the way to another server, do to the requests, contenders and
// commits of a session (session_owners.hpp).
//
// Thread safety: none.
#pragma once

#include <string>

#include "core/session/session_owners.hpp"

namespace turnstile::core {

class link_steps {
public:
    explicit link_steps(session_owners& owners) : owners_{owners} {}

    // Begins an epoch; there must be none.
    void open();
    void on_open_failed(const open_failed& failure);
    void on_clock_stepped(const clock_stepped& step);
    // Returns true if the session is attached by this event: it may be time for what had to wait for that.
    [[nodiscard]] bool on_link(const link_event& event);
    void close();
    void on_closed();

    // The session is over at the servers, or is left. Unless the client closes another is opened later.
    void end_epoch(const error& why, close_session::how manner);
    // The same if a step has found that the session has to go.
    void replace_if_needed();
    void enter(session_state next, const std::string& reason);

    // ---- which server ----
    // Leaves a connection that answers nothing, once a server that leads answers over another one, and no hold nor place
    // in a queue is risked by that (docs/why/silence.md).
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
    // The lease outlives a move that takes as long as the silence has.
    [[nodiscard]] bool lease_outlives_move() const;

    session_owners& owners_;
};

}  // namespace turnstile::core
