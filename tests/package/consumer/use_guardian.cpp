// SPDX-License-Identifier: Apache-2.0
// Lets the library start the installed guardian, a process that closes the sessions of dead processes. This program
// does not name the guardian's path.
#include <iostream>

#include "turnstile/client.hpp"
#include "turnstile/guardian.hpp"

int main() {
    turnstile::client_options options;
    options.guardian.use = turnstile::guardian_use::started;
    const turnstile::client servers{"127.0.0.1:1", options};  // port 1 refuses connections
    if (servers.counters().guardian == turnstile::guardian_state::guarded) return 0;
    std::cerr << "no guardian\n";
    return 1;
}
