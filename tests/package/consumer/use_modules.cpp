// SPDX-License-Identifier: Apache-2.0
// use_modules NAME...: checks that this program contains the modules of these names, and that no module reports a
// fault.
#include <algorithm>
#include <iostream>
#include <string>

#include "turnstile/tools/modules.hpp"

int main(int count, char** names) {
    const auto all = turnstile::installed_modules();
    for (int i = 1; i != count; ++i) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) {
            return each.name == names[i] && each.fault.empty();
        });
        if (found == all.end()) {
            for (const auto& each : all) std::cerr << each.name << ": " << each.fault << '\n';
            return 1;
        }
    }
}
