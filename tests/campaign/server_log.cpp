// SPDX-License-Identifier: Apache-2.0
#include "server_log.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace campaign {

namespace {

int open_or_throw(const std::filesystem::path& file, int flags) {
    const int opened = ::open(file.c_str(), flags | O_CLOEXEC, 0600);
    if (opened < 0) throw std::system_error{errno, std::generic_category(), file.string()};
    return opened;
}

int make_pipe(const std::filesystem::path& pipe) {
    constexpr int k_smallest = 4096;  // room for a few dozen lines
    std::filesystem::remove(pipe);
    if (::mkfifo(pipe.c_str(), 0600) != 0)
        throw std::system_error{errno, std::generic_category(), pipe.string()};
    // The pipe is open in both directions, so that neither side waits in open() for the other side.
    const int opened = open_or_throw(pipe, O_RDWR | O_NONBLOCK);
    ::fcntl(opened, F_SETPIPE_SZ, k_smallest);
    return opened;
}

}  // namespace

server_log::server_log(const std::filesystem::path& pipe, const std::filesystem::path& kept)
    : pipe_{make_pipe(pipe)},
      kept_{open_or_throw(kept, O_CREAT | O_APPEND | O_WRONLY)},
      reader_{[this](const std::stop_token& ending) { read(ending); }} {}

server_log::~server_log() {
    reader_.request_stop();
    reader_.join();
    ::close(pipe_);
    ::close(kept_);
}

void server_log::read(const std::stop_token& ending) {
    constexpr int k_look_every = 20;  // ms
    std::array<char, 65'536> bytes{};
    while (!ending.stop_requested()) {
        pollfd readable{pipe_, POLLIN, 0};
        if (stalled_) readable.fd = -1;
        if (::poll(&readable, 1, k_look_every) <= 0 || stalled_) continue;
        const auto n = ::read(pipe_, bytes.data(), bytes.size());
        if (n > 0 && ::write(kept_, bytes.data(), static_cast<std::size_t>(n)) != n) return;
    }
}

}  // namespace campaign
