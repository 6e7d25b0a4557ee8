// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/byte_stream.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace turnstile::zookeeper {
namespace {

// poll() counts milliseconds in an int.
constexpr std::chrono::milliseconds k_longest_wait = std::chrono::hours{1};

// A server closes its side when it has read the end of ours.
constexpr std::chrono::seconds k_finish_limit{1};

bool is_passing(int error) noexcept {
    return error == EINTR || error == EAGAIN;
}

}  // namespace

tcp_stream::tcp_stream(const socket_address& server, core::time_point deadline, int give_up)
    : socket_{::socket(server.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)},
      deadline_{deadline},
      give_up_{give_up} {
    if (!socket_.open()) {
        static_cast<void>(fail(errno));
        return;
    }
    const int on = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto* const address = reinterpret_cast<const sockaddr*>(&server.storage);
    if (::connect(socket_.get(), address, server.length) == 0) return;
    if (errno != EINPROGRESS) {
        static_cast<void>(fail(errno));
        return;
    }
    if (!await(POLLOUT)) return;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) static_cast<void>(fail(error));
}

bool tcp_stream::fail(int why) {
    failure_ = why;
    return false;
}

std::string tcp_stream::reason() const {
    if (failure_ == ETIMEDOUT) return std::string{k_no_answer_in_time};
    return failure_ == 0 ? std::string{} : std::strerror(failure_);
}

bool tcp_stream::await(short events) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline_ - boottime_clock::now());
        if (left.count() <= 0) return fail(ETIMEDOUT);
        std::array<pollfd, 2> wishes{{{socket_.get(), events, 0}, {give_up_, POLLIN, 0}}};
        const auto part = static_cast<int>(std::min(left, k_longest_wait).count());
        const int ready = ::poll(wishes.data(), wishes.size(), part);
        if (ready < 0 && errno != EINTR) return fail(errno);
        if (ready <= 0) continue;
        if (wishes[1].revents != 0) return fail(ECANCELED);
        return true;
    }
}

bool tcp_stream::write(std::string_view bytes) {
    if (failure_ != 0) return false;
    while (!bytes.empty()) {
        const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0) {
            if (!is_passing(errno)) return fail(errno);
            if (!await(POLLOUT)) return false;
            continue;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool tcp_stream::read(std::span<char> bytes) {
    if (failure_ != 0) return false;
    while (!bytes.empty()) {
        const auto got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
        if (got == 0) return fail(ECONNRESET);
        if (got < 0) {
            if (!is_passing(errno)) return fail(errno);
            if (!await(POLLIN)) return false;
            continue;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

void tcp_stream::finish() {
    deadline_ = std::min(deadline_, boottime_clock::now() + k_finish_limit);
    if (failure_ == 0 && ::shutdown(socket_.get(), SHUT_WR) == 0) {
        std::array<char, 4096> rest{};
        while (read(rest)) {
        }
    }
    socket_.reset();
    if (failure_ == 0) failure_ = ENOTCONN;
}

}  // namespace turnstile::zookeeper
