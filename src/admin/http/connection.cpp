// SPDX-License-Identifier: Apache-2.0
#include "admin/http/connection.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "admin/http/limits.hpp"

namespace turnstile::admin {
namespace {

// The peer of a TCP socket as a numeric address and a port.
void name_of(const sockaddr_storage& storage, socklen_t size, std::string& address, int& port) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> service{};
    const auto* const plain = reinterpret_cast<const sockaddr*>(&storage);
    if (::getnameinfo(plain, size, host.data(), host.size(), service.data(), service.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    address = host.data();
    port = std::atoi(service.data());
}

}  // namespace

connection::connection(int socket) : socket_{socket} {
    const int flags = ::fcntl(socket, F_GETFL);
    ::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
    arm();
}

void connection::arm() {
    left_ = k_largest_head + k_largest_body;
    deadline_ = boottime_clock::now() + k_request_time;
}

bool connection::ready(short events, boottime_clock::time_point deadline) const {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - boottime_clock::now());
        pollfd wish{socket_, events, 0};
        const int count = ::poll(&wish, 1, static_cast<int>(std::max<long>(left.count(), 0)));
        if (count < 0 && errno == EINTR) continue;
        return count > 0;
    }
}

bool connection::go_on(int code, boottime_clock::time_point deadline) const {
    switch (::SSL_get_error(tls_.get(), code)) {
        case SSL_ERROR_WANT_READ: return ready(POLLIN, deadline);
        case SSL_ERROR_WANT_WRITE: return ready(POLLOUT, deadline);
        default: return false;
    }
}

bool connection::start_tls(const tls_context& context) {
    tls_ = context.accept(socket_);
    if (!tls_) return false;
    for (;;) {
        ::ERR_clear_error();
        const int code = ::SSL_accept(tls_.get());
        if (code == 1) return true;
        if (!go_on(code, deadline_)) return false;
    }
}

bool connection::wait_for_request() {
    const bool buffered = begin_ != end_ || (tls_ && ::SSL_pending(tls_.get()) > 0);
    if (!buffered && !ready(POLLIN, boottime_clock::now() + k_idle_time)) return false;
    arm();
    return true;
}

bool connection::is_readable() const {
    return begin_ != end_ || (tls_ && ::SSL_pending(tls_.get()) > 0) || ready(POLLIN, deadline_);
}

bool connection::is_writable() const {
    pollfd wish{socket_, POLLOUT | POLLRDHUP, 0};
    const int count = ::poll(&wish, 1, static_cast<int>(k_write_time.count()));
    return count > 0 && (wish.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

ssize_t connection::receive() {
    if (!tls_) {
        for (;;) {
            const auto count = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
            if (count >= 0) return count;
            if (errno != EINTR && (errno != EAGAIN || !ready(POLLIN, deadline_))) return -1;
        }
    }
    for (;;) {
        ::ERR_clear_error();
        const int count = ::SSL_read(tls_.get(), buffer_.data(), static_cast<int>(buffer_.size()));
        if (count > 0) return count;
        if (!go_on(count, deadline_)) return -1;
    }
}

ssize_t connection::read(char* to, std::size_t size) {
    if (left_ == 0 || boottime_clock::now() >= deadline_) return -1;
    if (begin_ == end_) {
        const auto count = receive();
        if (count <= 0) return count;
        begin_ = 0;
        end_ = static_cast<std::size_t>(count);
    }
    const auto taken = std::min({size, end_ - begin_, left_});
    std::memcpy(to, buffer_.data() + begin_, taken);
    begin_ += taken;
    left_ -= taken;
    return static_cast<ssize_t>(taken);
}

ssize_t connection::write(const char* from, std::size_t size) {
    const auto deadline = boottime_clock::now() + k_write_time;
    for (;;) {
        if (tls_) {
            ::ERR_clear_error();
            const int part = static_cast<int>(std::min<std::size_t>(size, 1U << 20U));
            const int count = ::SSL_write(tls_.get(), from, part);
            if (count > 0) return count;
            if (!go_on(count, deadline)) return -1;
        } else {
            const auto count = ::send(socket_, from, size, MSG_NOSIGNAL);
            if (count >= 0) return count;
            if (errno != EINTR && (errno != EAGAIN || !ready(POLLOUT, deadline))) return -1;
        }
    }
}

void connection::get_remote_ip_and_port(std::string& address, int& port) const {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&storage), &size) == 0)
        name_of(storage, size, address, port);
}

void connection::get_local_ip_and_port(std::string& address, int& port) const {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&storage), &size) == 0)
        name_of(storage, size, address, port);
}

}  // namespace turnstile::admin
