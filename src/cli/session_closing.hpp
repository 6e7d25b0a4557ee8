// SPDX-License-Identifier: Apache-2.0
// session_closing: closes the sessions of a dead `turnstile run`. It runs in the keeper, the process that watches the
// command of `run` (cli/keeper.hpp).
//
// A usual guardian (a helper process) closes the sessions of a dead process at once, and the next waiter gets the lock.
// For `run` this is too early, because the command may live a little longer. So the keeper is the guardian of `run`,
// and closes the sessions when the command is dead. Until then it only reads the messages of `run`: an unread socket
// would be full after some hundred messages, and later sessions would be unknown.
//
// Thread safety: one thread.
#pragma once

#include <vector>

#include "guardian/guardian_loop.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

// The two ends of a private connection between `turnstile run` and the process that watches its command (the keeper).
struct guardian_sockets {
    support::descriptor of_run;  // the client of `run` finds it by TURNSTILE_GUARDIAN
    support::descriptor of_keeper;
};

// Opens the two ends of the connection. Call this in the process of `turnstile run`, because the other process (the
// keeper) checks which process opened the connection. Throws std::system_error.
[[nodiscard]] guardian_sockets open_guardian_sockets();

class session_closing {
public:
    // `run`: this process's end of the connection to `turnstile run`. From now on this process's memory contains
    // passwords of sessions, so the constructor forbids other processes of the user to read it.
    explicit session_closing(support::descriptor run);

    // The descriptors that become readable when `run` sends a message; -1 for a closed socket.
    [[nodiscard]] std::vector<int> sockets() const { return all_.sockets(); }
    void hear() { all_.hear(); }

    // Closes the sessions that `run` has left open. Call this when `run` has ended or is about to end. Gives up after a
    // session timeout, because the servers have then expired the sessions. First closes all other descriptors, so that
    // the reader of a pipe does not wait for this process.
    void close();

private:
    void drop_all_others() const;

    guardian::guardian_loop all_;
};

}  // namespace turnstile::cli
