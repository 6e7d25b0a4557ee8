// SPDX-License-Identifier: Apache-2.0
// first_line_of_private_file: a secret, from a file that only its owner may open. Thread safety: from any thread.
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

// Without the end of the line; 4095 characters at most. The file is opened once, so that what was checked is what is
// read. Throws std::runtime_error: why it cannot be read, that other users can, or that the line is longer.
[[nodiscard]] inline std::string first_line_of_private_file(const std::string& file) {
    const descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat about {};
    if (!opened.open() || ::fstat(opened.get(), &about) != 0)
        throw std::runtime_error{file + ": " + std::strerror(errno)};
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw std::runtime_error{file + ": other users can open it; chmod 600 " + file};
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

}  // namespace turnstile::base
