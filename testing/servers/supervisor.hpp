// SPDX-License-Identifier: Apache-2.0
// supervisor: cleans up after this process when it dies without doing so itself.
//
// A tiny shell waits on a socket whose other end only this process holds; when that end closes
// without a word, the process is dead, and the shell kills what it was told of and removes the
// folder. It has been orphaned and leads a session of its own, so that what kills a test's process
// group or its children (a terminal's Ctrl-C, ctest at a time-out) misses it.
//
// Thread safety: none. A forked copy of this process holds the other end too: the shell then waits
// for the last copy.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace turnstile::testing::detail {

class supervisor {
public:
    enum class ward { process_group, folder };

    // For `process_group`: the process that holds `link()` writes the group's number to it, as a line.
    // For `folder`: the folder is `path`. Throws std::system_error.
    explicit supervisor(ward kind, const std::filesystem::path& path = {});

    // The end to hand to the child.
    [[nodiscard]] int link() const noexcept { return link_.get(); }
    // Nothing is left to clean up. Without this the destructor makes the shell clean up.
    void dismiss() noexcept;

private:
    base::descriptor link_;
};

// The command that tells the supervisor its own group's number through descriptor 3, closes that,
// and becomes `command`. This process's death cannot come between: until the number is told, the
// child itself keeps the link open.
[[nodiscard]] std::vector<std::string> supervised(const std::vector<std::string>& command);

}  // namespace turnstile::testing::detail
