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
#include <utility>

#include "support/poll_time.hpp"
#include "zookeeper/security.hpp"

namespace turnstile::zookeeper {
namespace {

// Longest time for finish(), which waits until the server has read the end of the client's bytes and closes its side.
constexpr std::chrono::seconds k_finish_limit{1};

bool is_passing(int error) noexcept {
    return error == EINTR || error == EAGAIN;
}

}  // namespace

tcp_stream::tcp_stream(const socket_address& server, core::time_point deadline, int give_up)
    : socket_{server.length == 0 ? -1
                                 : ::socket(server.storage.ss_family,
                                            SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)},
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
        const int left = support::milliseconds_until(deadline_);
        if (left == 0) return fail(ETIMEDOUT);
        std::array<pollfd, 2> wishes{{{socket_.get(), events, 0}, {give_up_, POLLIN, 0}}};
        const int ready = ::poll(wishes.data(), wishes.size(), left);
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

// Without a TLS context the stream must not connect, so it passes an address of length 0 to the TCP stream.
tls_stream::tls_stream(const socket_address& server, core::time_point deadline, int give_up)
    : context_{context_for(*server.security)},
      tcp_{context_.value ? server : socket_address{}, deadline, give_up} {
    if (!context_.value) {
        failure_ = context_.fault;
    } else if (failure_ = tcp_.reason(); failure_.empty()) {
        agree(*context_.value, server.host);
    }
}

void tls_stream::agree(const tls::context& context, const std::string& host) {
    secured_ = context.open(tcp_.socket(), host);
    for (;;) {
        switch (secured_->go_on()) {
            case tls::handshake_step::done: return;
            case tls::handshake_step::failed: static_cast<void>(fail(secured_->reason())); return;
            case tls::handshake_step::wants_to_read:
                if (!tcp_.await(POLLIN)) return static_cast<void>(fail(tcp_.reason()));
                break;
            case tls::handshake_step::wants_to_write:
                if (!tcp_.await(POLLOUT)) return static_cast<void>(fail(tcp_.reason()));
                break;
        }
    }
}

bool tls_stream::fail(std::string why) {
    failure_ = std::move(why);
    secured_.reset();
    return false;
}

std::string tls_stream::reason() const {
    return failure_;
}

bool tls_stream::write(std::string_view bytes) {
    if (!secured_) return false;
    while (!bytes.empty()) {
        const auto sent = secured_->write(bytes);
        if (sent < 0) return fail(secured_->reason());
        if (sent == 0 && !tcp_.await(POLLOUT)) return fail(tcp_.reason());
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool tls_stream::read(std::span<char> bytes) {
    if (!secured_) return false;
    while (!bytes.empty()) {
        const auto got = secured_->read(bytes.data(), bytes.size());
        if (got < 0) return fail(secured_->reason());
        if (got == 0 && !tcp_.await(POLLIN)) return fail(tcp_.reason());
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

void tls_stream::finish() {
    if (secured_) secured_->finish();
    secured_.reset();
    tcp_.finish();
    if (failure_.empty()) failure_ = std::strerror(ENOTCONN);
}

std::unique_ptr<byte_stream> open_stream(const socket_address& server, core::time_point deadline,
                                         int give_up) {
    if (server.security) return std::make_unique<tls_stream>(server, deadline, give_up);
    return std::make_unique<tcp_stream>(server, deadline, give_up);
}

}  // namespace turnstile::zookeeper
