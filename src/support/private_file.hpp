// SPDX-License-Identifier: Apache-2.0
// private_file: secrets from files that only their owner may open.
//
// A private file gives no right to group or others, as libpq requires of sslkey. Exception: a file of root may be
// readable for its group if the reading process is not root's (Debian's ssl-cert, a mounted secret of Kubernetes).
//
// Thread safety: from any thread.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "support/descriptor.hpp"

namespace turnstile::support {

// Returns why a file with this owner and mode is not private, and the remedy; empty if the file is private. Pure.
[[nodiscard]] inline std::string exposure_of(const std::string& file, uid_t owner, mode_t mode,
                                             uid_t reader) {
    const bool by_group = owner == 0 && reader != 0;
    const mode_t refused = (by_group ? mode_t{S_IWGRP | S_IXGRP} : mode_t{S_IRWXG}) | S_IRWXO;
    if ((mode & refused) == 0) return {};
    const auto digit = [&](unsigned place) {
        return static_cast<char>('0' + ((mode >> (3 * place)) & 07U));
    };
    const std::string digits{digit(3), digit(2), digit(1), digit(0)};
    const std::string remedy = by_group ? "640 " : "600 ";
    return file + ": other users can open it (mode " + digits + "); chmod " + remedy + file;
}

// Opens the file once, so that a caller reads the very file whose mode was checked. The file may be a FIFO, such as a
// shell's <(command): opening and reading then wait for the FIFO's writer. Throws std::runtime_error if the file cannot
// be opened, or if other users can open it.
[[nodiscard]] inline descriptor open_private_file(const std::string& file) {
    descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat about {};
    if (!opened.open() || ::fstat(opened.get(), &about) != 0)
        throw std::runtime_error{file + ": " + std::strerror(errno)};
    // For a folder or a device, the advice of exposure_of() would be wrong: chmod 600 on /tmp or /dev/null harms the
    // whole machine.
    if (S_ISDIR(about.st_mode)) throw std::runtime_error{file + ": " + std::strerror(EISDIR)};
    if (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode))
        throw std::runtime_error{file + ": is a device; a regular file or a FIFO is needed"};
    if (auto why = exposure_of(file, about.st_uid, about.st_mode, ::geteuid()); !why.empty())
        throw std::runtime_error{std::move(why)};
    return opened;
}

// Returns why the file of a private key is not private; empty if the file is private. Also empty for an unreadable
// file: the TLS library, which opens the file by its name, reports the failure.
[[nodiscard]] inline std::string exposure_of_key(const std::string& file) {
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) return {};
    return exposure_of(file, about.st_uid, about.st_mode, ::geteuid());
}

// Returns why a client cannot read the file again for each connection: a FIFO would block a thread that nothing wakes,
// and a device has no end. Empty for a missing file, because the library that opens the file reports that.
[[nodiscard]] inline std::string fault_of_repeated_reads(const std::string& file) {
    struct stat about {};
    if (file.empty() || ::stat(file.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return {};
    return file + ": is no regular file, and Turnstile reads it at each connection";
}

// Reads the next bytes of a file, or the bytes that a FIFO's writer sends next. Returns 0 at the end.
[[nodiscard]] inline std::size_t read_part(const descriptor& opened, const std::string& file,
                                           std::span<char> room) {
    for (;;) {
        const auto size = ::read(opened.get(), room.data(), room.size());
        if (size >= 0) return static_cast<std::size_t>(size);
        if (errno != EINTR) throw std::runtime_error{file + ": " + std::strerror(errno)};
    }
}

// Returns the first line without its line end, 4095 characters at most. Throws std::runtime_error for a longer line,
// and in each case in which open_private_file throws.
[[nodiscard]] inline std::string first_line_of_private_file(const std::string& file) {
    const auto opened = open_private_file(file);
    std::array<char, 4096> room{};
    std::size_t filled = 0;
    std::size_t end = std::string_view::npos;
    while (end == std::string_view::npos) {
        if (filled == room.size())
            throw std::runtime_error{file + ": the first line is longer than 4095 characters"};
        const auto size = read_part(opened, file, std::span{room}.subspan(filled));
        if (size == 0) break;
        filled += size;
        end = std::string_view{room.data(), filled}.find_first_of("\r\n");
    }
    return {room.data(), std::min(end, filled)};
}

// Returns the text of a file of `most` bytes at most. Throws std::runtime_error for a longer file, and in each case in
// which open_private_file throws.
[[nodiscard]] inline std::string text_of_private_file(const std::string& file, std::size_t most) {
    const auto opened = open_private_file(file);
    std::string text;
    std::array<char, 4096> room{};
    for (;;) {
        const auto size = read_part(opened, file, room);
        if (size == 0) return text;
        text.append(room.data(), size);
        if (text.size() > most)
            throw std::runtime_error{file + ": has more than " + std::to_string(most) + " bytes"};
    }
}

}  // namespace turnstile::support
