// SPDX-License-Identifier: Apache-2.0
// placement_steps: which server a session stays at, and from when on its contenders may enter there (client_life.hpp).
//
// | stage     | from                                            | contenders that come          |
// |-----------|-------------------------------------------------|-------------------------------|
// | undecided | the attach, where the server's role matters     | wait at the door              |
// | seeking   | a role that is not the leader's                 | wait; the move is an attach   |
// | settled   | the leader's role, or one that is good enough;  | enter, or fail where no lease |
// |           | no role, no leader, or too many moves           | is possible                   |
//
// Where leases are ample (lease.hpp) they enter at once, in any stage. What stands in a queue is not kept from
// anything. A role only says where to go: what a lease rests on is lease::role_known.
//
// Thread safety: none.
#pragma once

#include "core/session/client_life.hpp"

namespace turnstile::core {

class placement_steps {
public:
    explicit placement_steps(client_life& life) : life_{life} {}

    // A connection begins; some coordinators tell the role with it.
    void begin(const link_event& event);
    // The server's role, and its pace, are told.
    void learn(const link_event& event);
    // The leader was not found.
    void stay_here(const link_event& event);
    // No answer came, or it is time for another attempt.
    void on_time();
    // Warns, once in an epoch, if no lease lasts at this server.
    void warn_if_short();

private:
    void take_note(const link_event& event);
    void decide();
    [[nodiscard]] bool is_to_move() const;
    void seek();
    void settle();
    void let_in();

    client_life& life_;
};

}  // namespace turnstile::core
