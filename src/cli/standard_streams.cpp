// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <iostream>

#include "support/descriptor.hpp"
#include "support/visible.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::cli {

void reserve_standard_streams() noexcept {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0) continue;
        // open() returns the lowest free number, which is this stream's number.
        const int opened = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (opened != stream && opened >= 0) ::close(opened);
    }
}

bool flush_output() noexcept {
    std::cout.flush();
    return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

namespace {

constexpr std::chrono::milliseconds k_patience{1'000};

// Opens stderr again if it is a terminal, because poll() reports room on a terminal even if a line does not fit. The
// new descriptor does not block, and other processes' descriptors of the terminal stay as they are.
support::descriptor terminal_that_never_blocks() {
    if (::isatty(STDERR_FILENO) != 1) return {};
    constexpr int k_how = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    return support::descriptor{::open("/proc/self/fd/2", k_how)};
}

bool accepts(int output, boottime_clock::time_point deadline) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - boottime_clock::now());
        pollfd room{output, POLLOUT, 0};
        const int found =
            ::poll(&room, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (found >= 0 || errno != EINTR) return found > 0;
    }
}

// A pipe in which poll() reports room accepts PIPE_BUF bytes without blocking.
void write_to_stderr(std::string_view text, std::chrono::milliseconds patience) {
    const auto terminal = terminal_that_never_blocks();
    const int output = terminal.open() ? terminal.get() : STDERR_FILENO;
    const auto deadline = boottime_clock::now() + patience;
    while (!text.empty() && accepts(output, deadline)) {
        const auto written =
            ::write(output, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
        if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    }
}

std::string line_of(std::string_view sentence) {
    return "turnstile: " + support::visible(sentence) + "\n";
}

}  // namespace

int complain(std::string_view sentence, int code) {
    write_to_stderr(line_of(sentence), k_patience);
    return code;
}

void mention(std::string_view sentence) {
    write_to_stderr(line_of(sentence), std::chrono::milliseconds{0});
}

std::string explanation_of(const std::system_error& failure) {
    std::string text = failure.what();
    // The exception of std::thread contains only the system's error text.
    if (text == failure.code().message()) text = "cannot start a thread: " + text;
    const bool exhausted = failure.code() == std::errc::resource_unavailable_try_again ||
                           failure.code() == std::errc::not_enough_memory;
    if (exhausted)
        text +=
            "; raise the limit of memory (ulimit -v) or of processes and threads (ulimit -u, "
            "pids.max of the control group)";
    return text;
}

}  // namespace turnstile::cli
