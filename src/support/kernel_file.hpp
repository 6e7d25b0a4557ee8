// SPDX-License-Identifier: Apache-2.0
// Reads files of /proc and /sys. These files report no size. Once a process has ended, a read of its files fails; a
// std::ifstream may throw then.
//
// Thread safety: from any thread.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <string>

#include "support/descriptor.hpp"

namespace turnstile::support {

// Returns the text up to the first failed read; empty if the file cannot be opened. `folder`: a descriptor, or
// AT_FDCWD.
[[nodiscard]] inline std::string text_of_kernel_file(int folder, const char* name) {
    const support::descriptor file{::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const auto size = ::read(file.get(), part.data(), part.size());
        if (size <= 0) return text;
        text.append(part.data(), static_cast<std::size_t>(size));
    }
}

// Returns the text of /proc/<process>/<name>; empty if the process has ended.
[[nodiscard]] inline std::string text_of_process(pid_t process, const std::string& name) {
    return text_of_kernel_file(AT_FDCWD, ("/proc/" + std::to_string(process) + "/" + name).c_str());
}

// Returns the fields of /proc/<process>/stat behind the program's name, which may contain blanks and parentheses
// (proc(5)). The state, a letter, is first, and the parent second. Empty if the process has ended.
[[nodiscard]] inline std::string stat_behind_name(pid_t process) {
    const auto text = text_of_process(process, "stat");
    const auto name_end = text.rfind(") ");
    return name_end == std::string::npos ? std::string{} : text.substr(name_end + 2);
}

}  // namespace turnstile::support
