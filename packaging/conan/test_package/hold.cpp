// SPDX-License-Identifier: Apache-2.0
// hold NAME...: checks that this program contains the modules of these names. Then holds a lock in memory, and prints
// the hold's fencing token.
#include <algorithm>
#include <iostream>

#include "turnstile/tools/modules.hpp"
#include "turnstile/turnstile.hpp"

int main(int count, char** names) {
    const auto modules = turnstile::installed_modules();
    for (int i = 1; i < count; ++i) {
        const auto found = std::find_if(modules.begin(), modules.end(), [&](const auto& module) {
            return module.name == names[i] && module.fault.empty();
        });
        if (found == modules.end()) {
            std::cerr << names[i] << ": no such module\n";
            return 1;
        }
        std::cout << "module " << names[i] << '\n';
    }
    turnstile::client memory{"local:"};
    turnstile::mutex orders{memory, "/orders"};
    const auto hold = orders.acquire().value();
    std::cout << "held, token " << hold.fencing_token().to_string() << '\n';
}
