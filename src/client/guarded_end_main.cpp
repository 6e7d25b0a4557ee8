// SPDX-License-Identifier: Apache-2.0
// turnstile-session-end: ends one session of a dead process, at Redis, PostgreSQL or MariaDB. Only the guardian starts
// this program, and sends the session through a socket, the program's standard input.
//
//     turnstile-session-end SCHEME     loads the module for connect strings of this scheme, and waits for the session
#include <unistd.h>

#include "client/guarded_end.hpp"
#include "support/secrets.hpp"

int main(int argc, char** argv) {
    turnstile::support::lock_memory();
    return turnstile::detail::end_guarded_session(argc > 1 ? argv[1] : "", STDIN_FILENO);
}
