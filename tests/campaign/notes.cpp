// SPDX-License-Identifier: Apache-2.0
#include "notes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace campaign {

notes::notes(const std::string& file)
    : file_{::open(file.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600)} {
    if (file_ < 0) throw std::system_error{errno, std::generic_category(), "cannot write " + file};
}

void notes::append(time_point at, std::string_view kind, std::uint64_t id,
                   const std::string& rest) {
    const auto line =
        fmt::format("{} {} {}{}{}\n", nanoseconds(at), kind, id, rest.empty() ? "" : " ", rest);
    // A lost line would hide an event from judge.py, which checks the notes. So the process ends at once.
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(70);
}

std::string one_word(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c <= ' '; }, '_');
    return text;
}

std::string outcome_of(const turnstile::error& why) {
    return fmt::format("{}:{}", static_cast<int>(why.code()), one_word(why.message()));
}

}  // namespace campaign
