// SPDX-License-Identifier: Apache-2.0
#include "servers/tcp.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <memory>
#include <stdexcept>

#include "servers/throw_errno.hpp"

namespace turnstile::testing::detail {

std::pair<std::string, std::uint16_t> parse_address(const std::string& text) {
    const auto host_and_port = text.substr(0, text.find('/'));
    const auto colon = host_and_port.rfind(':');
    std::uint16_t port = 0;
    if (colon != std::string::npos && colon > 0) {
        const char* end = host_and_port.data() + host_and_port.size();
        const auto parsed = std::from_chars(host_and_port.data() + colon + 1, end, port);
        if (parsed.ec == std::errc{} && parsed.ptr == end && port != 0) {
            return {host_and_port.substr(0, colon), port};
        }
    }
    throw std::runtime_error{"not \"host:port\": " + text};
}

std::vector<std::string> split_connect_string(const std::string& text) {
    const auto hosts = text.substr(0, text.find('/'));
    std::vector<std::string> result;
    for (std::size_t begin = 0; begin <= hosts.size();) {
        const auto comma = std::min(hosts.find(',', begin), hosts.size());
        result.push_back(hosts.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return result;
}

support::descriptor begin_connect(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) {
        throw std::runtime_error{"unknown host " + host};
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found{list, &::freeaddrinfo};
    support::descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!socket.open()) throw_errno("socket");
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) {
        throw_errno("connect to " + host + ":" + std::to_string(port));
    }
    return socket;
}

tcp_connection::tcp_connection(const std::string& host, std::uint16_t port, test_deadline until)
    : until_{until}, socket_{begin_connect(host, port)} {
    wait_for(POLLOUT);
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) throw_errno("connect to " + host + ":" + std::to_string(port), error);
}

void tcp_connection::wait_for(short events) const {
    pollfd polled{socket_.get(), events, 0};
    for (;;) {
        const int ready = ::poll(&polled, 1, static_cast<int>(until_.remaining().count()));
        if (ready > 0) return;
        if (ready == 0) throw_errno("no answer in time", ETIMEDOUT);
        if (errno != EINTR) throw_errno("poll");
    }
}

void tcp_connection::send(std::string_view rest) {
    while (!rest.empty()) {
        wait_for(POLLOUT);
        const auto sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
        if (sent < 0 && errno != EAGAIN && errno != EINTR) throw_errno("send");
    }
}

std::size_t tcp_connection::receive_some(char* into, std::size_t most) {
    for (;;) {
        wait_for(POLLIN);
        const auto got = ::recv(socket_.get(), into, most, 0);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EAGAIN && errno != EINTR) throw_errno("receive");
    }
}

std::string tcp_connection::receive_exactly(std::size_t count) {
    std::string received(count, '\0');
    for (std::size_t have = 0; have < count;) {
        const auto got = receive_some(received.data() + have, count - have);
        if (got == 0) return {};
        have += got;
    }
    return received;
}

std::string tcp_connection::receive_all() {
    std::string received;
    std::array<char, 4096> chunk;
    while (const auto got = receive_some(chunk.data(), chunk.size())) {
        received.append(chunk.data(), got);
    }
    return received;
}

}  // namespace turnstile::testing::detail
