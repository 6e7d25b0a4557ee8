// SPDX-License-Identifier: Apache-2.0
// turnstile-session-end: ends one session of a dead process, on Redis, PostgreSQL or MariaDB. The guardian starts it,
// and passes the session through the socket that is its standard input. Nothing else is to start it.
//
//     turnstile-session-end SCHEME     loads the module for connect strings of this scheme, and waits for the session
#include <unistd.h>

#include "guardian/module_ends.hpp"
#include "support/secrets.hpp"

int main(int argc, char** argv) {
    turnstile::support::lock_memory();
    return turnstile::detail::end_guarded_session(argc > 1 ? argv[1] : "", STDIN_FILENO);
}
