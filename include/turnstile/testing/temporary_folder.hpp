// SPDX-License-Identifier: Apache-2.0
// temporary_folder: a folder that is removed at the end of the test, even if the test is killed.
//
//     temporary_folder scratch;
//     std::ofstream{scratch.path() / "counter"} << 0;
//
// The folder is in /dev/shm if /dev/shm is writable and has 1 GiB of free memory. Otherwise the folder is in TMPDIR or
// /tmp. The destructor removes the folder with all its files. If the process dies without running destructors (for
// example by SIGKILL), a small shell that waits for the end of the process removes the folder.
//
// Thread safety: any thread may call const members. A forked child that destroys its copy removes nothing.
#pragma once

#include <sys/types.h>

#include "turnstile/language.hpp"

#include <filesystem>
#include <memory>

namespace turnstile::testing {

namespace detail {
class supervisor;
}

// A folder of a test.
class temporary_folder {
public:
    // Creates the folder. Throws std::system_error if that fails.
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    // Returns the folder's path.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
    pid_t owner_;  // the process that removes the folder
    std::unique_ptr<detail::supervisor> supervisor_;
};

}  // namespace turnstile::testing
