// SPDX-License-Identifier: Apache-2.0
// Clocks of a process and of its children, see time_namespaces(7).
//
// A process that calls unshare(CLONE_NEWTIME) keeps its clocks, while its children get the clocks of the new namespace.
// In older kernels that is also true after exec: the program of `unshare --time PROGRAM` keeps its parent's clocks.
//
// Thread safety: from any thread.
#pragma once

#include <sys/stat.h>

namespace turnstile::support {

// Returns true if the clocks of this process's children have other offsets than this process's clocks. Returns false if
// /proc is missing.
[[nodiscard]] inline bool children_get_other_clocks() {
    struct stat own {};
    struct stat of_children {};
    return ::stat("/proc/self/ns/time", &own) == 0 &&
           ::stat("/proc/self/ns/time_for_children", &of_children) == 0 &&
           (own.st_ino != of_children.st_ino || own.st_dev != of_children.st_dev);
}

}  // namespace turnstile::support
