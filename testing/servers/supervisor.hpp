// SPDX-License-Identifier: Apache-2.0
// supervisor: cleans up after this process if it dies without doing so itself.
//
// A tiny shell waits on a socket whose other end only this process has. When that end closes without a message, the
// process is dead: the shell kills the process group or removes the folder. The shell is an orphan in a separate
// session, so that an attack on a test's process group or children (a terminal's Ctrl-C, ctest at a timeout) misses
// it.
//
// Thread safety: none. A forked copy of this process has the other end as well: the shell then waits for the last
// copy.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/descriptor.hpp"

namespace turnstile::testing::detail {

class supervisor {
public:
    enum class ward { process_group, folder };

    // With `process_group`, the process that has `link()` writes the group's number to it, as a line. With `folder`,
    // the folder is `path`. Throws std::system_error.
    explicit supervisor(ward kind, const std::filesystem::path& path = {});

    // The end to pass to the child.
    [[nodiscard]] int link() const noexcept { return link_.get(); }
    // Tells the shell that nothing is left to clean up. Without this the destructor makes the shell clean up.
    void dismiss() noexcept;

private:
    support::descriptor link_;
};

// Returns a command that writes its own group's number to the supervisor through descriptor 3, closes that, and
// becomes `command`. This process may die meanwhile: until the number is written, the child itself keeps the link
// open.
[[nodiscard]] std::vector<std::string> supervised(const std::vector<std::string>& command);

}  // namespace turnstile::testing::detail
