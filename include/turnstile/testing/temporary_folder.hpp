// SPDX-License-Identifier: Apache-2.0
// temporary_folder: a folder that is gone afterwards, even if the test is killed.
//
//     temporary_folder scratch;
//     std::ofstream{scratch.path() / "counter"} << 0;
//
// It lies in /dev/shm where that can be written to, else in TMPDIR or /tmp. The destructor removes
// it with all that is in it; when the process dies without running destructors, SIGKILL included, a
// tiny shell that waits for this does.
//
// Thread safety: const members from any thread. A forked child that destroys its copy removes
// nothing.
#pragma once

#include <sys/types.h>

#include "turnstile/language.hpp"

#include <filesystem>
#include <memory>

namespace turnstile::testing {

namespace detail {
class supervisor;
}

class temporary_folder {
public:
    // Throws std::system_error if no folder can be made.
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
    pid_t owner_;  // the process that removes it
    std::unique_ptr<detail::supervisor> supervisor_;
};

}  // namespace turnstile::testing
