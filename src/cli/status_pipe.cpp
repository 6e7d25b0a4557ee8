// SPDX-License-Identifier: Apache-2.0
#include "cli/status_pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

namespace turnstile::cli {

status_pipe::status_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error{errno, std::system_category(), "pipe"};
    reader_ = support::descriptor{ends[0]};
    writer_ = support::descriptor{ends[1]};
    ::fcntl(writer_.get(), F_SETFL, O_NONBLOCK);
}

void status_pipe::write(std::string_view line) const noexcept {
    // The kernel may split a write that is longer than PIPE_BUF, so this function drops a longer line.
    if (line.size() > PIPE_BUF) return;
    const auto written = ::write(writer_.get(), line.data(), line.size());
    static_cast<void>(written);
}

void status_pipe::discard() const noexcept {
    std::array<char, PIPE_BUF> unread{};
    pollfd waiting{reader_.get(), POLLIN, 0};
    while (::poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN) != 0)
        if (::read(reader_.get(), unread.data(), unread.size()) <= 0) return;
}

}  // namespace turnstile::cli
