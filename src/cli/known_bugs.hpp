// SPDX-License-Identifier: Apache-2.0
// known_bugs: bugs of ZooKeeper releases that break an assumption of locks. docs/reference/limits.md describes each.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

struct known_bugs {
    std::vector<std::string> issues;  // "ZOOKEEPER-4925"
    std::string mended_in;            // the releases of this line or the next that fix all of them
};

// Returns the bugs of a release by which an ensemble loses acknowledged writes, or loses its leader without need.
// Returns none for a version that is not a release number. Leaves out bugs that every release has, because no upgrade
// helps.
[[nodiscard]] known_bugs bugs_of_release(std::string_view version);

}  // namespace turnstile::cli
