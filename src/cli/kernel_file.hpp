// SPDX-License-Identifier: Apache-2.0
// text_of_kernel_file: reads a file below a folder of /proc or /sys. Such files report no size.
//
// Thread safety: from any thread.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "support/descriptor.hpp"

namespace turnstile::cli {

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

}  // namespace turnstile::cli
