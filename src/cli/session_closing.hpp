// SPDX-License-Identifier: Apache-2.0
// session_closing: the keeper as the guardian of `run`.
//
// A guardian closes the sessions of a dead process at once, and the lock is the next one's. That would be too early
// here: the command may live some instants longer than `run`. So `run` is guarded by its keeper, which closes its
// sessions when the command is dead. Until then it hears what `run` tells it, and no more: a socket that is not read is
// full after some hundred messages, and the sessions of later ones would not be known.
//
// Thread safety: one thread.
#pragma once

#include <vector>

#include "guardian/watch.hpp"
#include "support/descriptor.hpp"

namespace turnstile::cli {

// Both ends of a connection that no other process can reach.
struct guardian_sockets {
    support::descriptor of_run;  // the client of `run` finds it by TURNSTILE_GUARDIAN
    support::descriptor of_keeper;
};

// Call it in the process of `run`, whose credentials the keeper will find at its end. Throws std::system_error.
[[nodiscard]] guardian_sockets open_guardian_sockets();

class session_closing {
public:
    // `run`: the keeper's end. From here on there are passwords of sessions in the memory: no other process of the user
    // may look into it.
    explicit session_closing(support::descriptor run);

    // What is readable when `run` has told something; -1 is none.
    [[nodiscard]] std::vector<int> sockets() const { return all_.sockets(); }
    void hear() { all_.hear(); }

    // Closes what sessions are left of a process that has ended or is about to; those that it closed itself cost
    // nothing. Gives up after a session's time-out: then the servers have ended it. Drops all other descriptors first,
    // so that a pipe's reader does not wait for this process.
    void close();

private:
    void drop_all_others() const;

    guardian::watch all_;
};

}  // namespace turnstile::cli
