// SPDX-License-Identifier: Apache-2.0
// link_steps: how a session's links to the servers come and go, and its epochs with them (client_life.hpp).
//
// Thread safety: none.
#pragma once

#include <string>

#include "core/session/client_life.hpp"

namespace turnstile::core {

class link_steps {
public:
    explicit link_steps(client_life& life) : life_{life} {}

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

private:
    [[nodiscard]] bool attach(const link_event& event);
    void attach_read_only(const link_event& event);
    void detach();
    void learn_role(const link_event& event);
    void refuse_for_good(const error& why);
    void leave_session();
    void answer_inquiries(const error& why);
    void go_on_attached();

    client_life& life_;
};

}  // namespace turnstile::core
