// SPDX-License-Identifier: Apache-2.0
// supervisor: cleans up for this process if this process dies before it has cleaned up itself.
//
// A tiny shell waits on a socket whose other end only this process has. When that end closes without a message, the
// process is dead: the shell kills the process group or removes the folder. The shell is an orphan in a separate
// session, so that an attack on a test's process group or children (a terminal's Ctrl-C, ctest at a timeout) misses
// it.
//
// Thread safety: none. A forked copy of this process also has the other end of the socket, so the shell waits for the
// end of the last copy.
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

    // With the kind `process_group`, the process that gets link() must write the group's number into it, as a line.
    // With the kind `folder`, the shell removes `path`. Throws std::system_error.
    explicit supervisor(ward kind, const std::filesystem::path& path = {});

    // Returns the end of the socket that must be passed to the child.
    [[nodiscard]] int link() const noexcept { return link_.get(); }
    // Tells the shell that nothing is left to clean up. Otherwise the destructor makes the shell clean up.
    void dismiss() noexcept;

private:
    support::descriptor link_;
};

// Returns a command that writes the number of its process group to the supervisor through descriptor 3, closes that
// descriptor, and becomes `command`. This process may die meanwhile. Until the number is written, the child keeps the
// link open.
[[nodiscard]] std::vector<std::string> supervised(const std::vector<std::string>& command);

}  // namespace turnstile::testing::detail
