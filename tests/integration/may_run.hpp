// SPDX-License-Identifier: Apache-2.0
// may_run() tests whether this machine permits what a test needs. The user id does not show that: a container's root
// often may not create namespaces.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "turnstile/testing/process.hpp"

namespace turnstile::tests {

// Returns true if the command succeeds.
inline bool may_run(std::vector<std::string> command) {
    testing::process trial{{.command = std::move(command)}};
    return trial.wait() && trial.exit_code() == 0;
}

}  // namespace turnstile::tests
