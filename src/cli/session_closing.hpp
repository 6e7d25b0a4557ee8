// SPDX-License-Identifier: Apache-2.0
// session_closing: the keeper's part as the guardian of `run`.
//
// A guardian closes the sessions of a dead process at once, and the next waiter gets the lock. For `run` this would be
// too early: the command may live a little longer than `run`. So the keeper is the guardian of `run`, and closes its
// sessions when the command is dead. Until then it only reads the messages of `run`. It must read them: a socket that
// is not read is full after some hundred messages, and the guardian would not know later sessions.
//
// Thread safety: one thread.
#pragma once

#include <vector>

#include "guardian/watch.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

// The two ends of a connection that no other process can reach.
struct guardian_sockets {
    support::descriptor of_run;  // the client of `run` finds it by TURNSTILE_GUARDIAN
    support::descriptor of_keeper;
};

// Call it in the process of `run`, because the keeper checks that process's credentials at its end. Throws
// std::system_error.
[[nodiscard]] guardian_sockets open_guardian_sockets();

class session_closing {
public:
    // `run`: the keeper's end of the connection. From now on the memory contains passwords of sessions, so no other
    // process of the user may read it.
    explicit session_closing(support::descriptor run);

    // The descriptors that become readable when `run` sends a message; -1 for none.
    [[nodiscard]] std::vector<int> sockets() const { return all_.sockets(); }
    void hear() { all_.hear(); }

    // Closes the sessions of a process that has ended or is about to end. If the process has closed a session itself,
    // there is nothing to do for it. Gives up after a session timeout, because the servers have ended the session by
    // then. Closes all other descriptors first, so that a pipe's reader does not wait for this process.
    void close();

private:
    void drop_all_others() const;

    guardian::watch all_;
};

}  // namespace turnstile::cli
