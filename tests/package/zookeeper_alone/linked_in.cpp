// SPDX-License-Identifier: Apache-2.0
// A program that is linked with the archive of SQLite's module and with no other module. Its client object is a global
// variable, so the module must be available before main() begins.
#include <iostream>

#include "turnstile/tools/modules.hpp"
#include "turnstile/turnstile.hpp"

namespace {

turnstile::client before_main{"sqlite:" BUILD_FOLDER "/locks.db"};

}  // namespace

int main() {
    turnstile::mutex lock{before_main, "/orders"};
    const auto released = lock.acquire({.timeout = std::chrono::seconds{20}}).value().release();
    if (!released) std::cerr << released.error().message() << '\n';
    for (const auto& module : turnstile::installed_modules()) {
        if (module.fault.empty() == (module.name == "sqlite")) continue;
        std::cerr << module.name << ": " << module.fault << '\n';
        return 1;
    }
    return released ? 0 : 1;
}
