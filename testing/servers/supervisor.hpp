// SPDX-License-Identifier: Apache-2.0
// supervisor: cleans up after this process, if this process dies before it has cleaned up.
//
// A shell waits on a socket whose other end only this process has. If that end closes without a message, this process
// is dead, and the shell kills the process group or removes the folder. The shell is an orphan in a separate session,
// so a signal to the test's process group (Ctrl-C, a timeout of ctest) does not reach the shell.
//
// Thread safety: none. A fork of this process also has the other end, so the shell waits for the end of the forks, too.
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

    // `process_group`: the shell kills a process group. The child that gets link() must write the group's number to it,
    // as a line (see supervised()). `folder`: the shell removes `path`. Throws std::system_error.
    explicit supervisor(ward kind, const std::filesystem::path& path = {});

    // Returns the end of the socket that the child must get.
    [[nodiscard]] int link() const noexcept { return link_.get(); }
    // Ends the shell, which then neither kills nor removes anything. Without this call, the destructor makes the shell
    // clean up.
    void dismiss() noexcept;

private:
    support::descriptor link_;
};

// Returns a command that sends its process group's number to the supervisor through descriptor 3, closes that
// descriptor, and becomes `command`. The child keeps descriptor 3 open until the number is sent, in case this process
// dies meanwhile.
[[nodiscard]] std::vector<std::string> supervised(const std::vector<std::string>& command);

}  // namespace turnstile::testing::detail
