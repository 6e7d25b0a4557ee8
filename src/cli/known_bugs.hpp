// SPDX-License-Identifier: Apache-2.0
// known_bugs: the bugs of ZooKeeper releases that violate an assumption of locks. docs/reference/limits.md lists them.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

struct known_bugs {
    std::vector<std::string> issues;  // "ZOOKEEPER-4925"
    std::string mended_in;            // "3.8.5, or 3.9.4": the first releases that fix all of them
};

// Returns the bugs by which an ensemble of this release loses acknowledged writes, or loses its leader without need.
// Returns none if the version is not a release number. Omits bugs that all releases have, because no upgrade helps.
[[nodiscard]] known_bugs bugs_of_release(std::string_view version);

}  // namespace turnstile::cli
