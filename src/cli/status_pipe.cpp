// SPDX-License-Identifier: Apache-2.0
#include "cli/status_pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include "admin/reading/lock_json.hpp"

namespace turnstile::cli {
namespace {

using admin::json;

// A line must be short enough for one write to a pipe, even if each byte is escaped as \uNNNN.
std::string_view shortened(std::string_view text) {
    return text.substr(0, 256);
}

std::string line_of(const json& event) {
    return admin::printed(event) + '\n';
}

std::string time_line(const char* event, boottime_clock::time_point valid_until) {
    return line_of({{"event", event}, {"valid_until", valid_until.time_since_epoch().count()}});
}

}  // namespace

std::string confirmed_line(boottime_clock::time_point valid_until) {
    return time_line("confirmed", valid_until);
}

std::string at_risk_line(boottime_clock::time_point valid_until) {
    return time_line("at_risk", valid_until);
}

std::string asked_line(const release_request& request) {
    return line_of({{"event", "asked_to_release"},
                    {"who", shortened(request.who)},
                    {"why", shortened(request.why)}});
}

std::string lost_line(const error& why) {
    return line_of({{"event", "lost"}, {"why", shortened(why.message())}});
}

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
