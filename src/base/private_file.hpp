// SPDX-License-Identifier: Apache-2.0
// Secrets from files that only their owner may open. Thread safety: from any thread.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/descriptor.hpp"

namespace turnstile::base {

// Opens the file once, so that a caller reads the file whose mode was checked. Throws std::runtime_error: why it cannot be
// opened, or that other users can open it.
[[nodiscard]] inline descriptor open_private_file(const std::string& file) {
    descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat about {};
    if (!opened.open() || ::fstat(opened.get(), &about) != 0)
        throw std::runtime_error{file + ": " + std::strerror(errno)};
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw std::runtime_error{file + ": other users can open it; chmod 600 " + file};
    return opened;
}

// Without the end of the line; 4095 characters at most. Throws std::runtime_error as open_private_file does, and for a
// longer line.
[[nodiscard]] inline std::string first_line_of_private_file(const std::string& file) {
    const auto opened = open_private_file(file);
    std::array<char, 4096> room{};
    const auto size = ::read(opened.get(), room.data(), room.size());
    if (size < 0) throw std::runtime_error{file + ": " + std::strerror(errno)};
    std::string line{room.data(), static_cast<std::size_t>(size)};
    const auto end = line.find_first_of("\r\n");
    if (end == std::string::npos && line.size() == room.size())
        throw std::runtime_error{file + ": the first line is longer than 4095 characters"};
    line.resize(std::min(end, line.size()));
    return line;
}

// All of a file that has `most` bytes at most. Throws std::runtime_error as open_private_file does, and for a longer file.
[[nodiscard]] inline std::string text_of_private_file(const std::string& file, std::size_t most) {
    const auto opened = open_private_file(file);
    std::string text;
    std::array<char, 4096> room{};
    for (;;) {
        const auto size = ::read(opened.get(), room.data(), room.size());
        if (size < 0) throw std::runtime_error{file + ": " + std::strerror(errno)};
        if (size == 0) return text;
        text.append(room.data(), static_cast<std::size_t>(size));
        if (text.size() > most)
            throw std::runtime_error{file + ": has more than " + std::to_string(most) + " bytes"};
    }
}

}  // namespace turnstile::base
