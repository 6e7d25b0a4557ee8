// SPDX-License-Identifier: Apache-2.0
// known_bugs: defects of ZooKeeper releases that break what locks rest on. docs/reference/limits.md says what each does.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

struct known_bugs {
    std::vector<std::string> issues;  // "ZOOKEEPER-4925"
    std::string mended_in;  // the releases of the same or the next line that have none of them
};

// The defects of a release by which servers of an ensemble lose acknowledged writes, or lose their leader without need.
// None of a version that is no release's number, nor of those that every release has: nothing could be done about them.
[[nodiscard]] known_bugs bugs_of_release(std::string_view version);

}  // namespace turnstile::cli
