// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_role.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

namespace turnstile::zookeeper {
namespace {

constexpr std::size_t k_longest_answer = 4096;
constexpr std::string_view k_question = "srvr";

class descriptor {
public:
    explicit descriptor(int fd) noexcept : fd_{fd} {}
    ~descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    int fd_;
};

// One question with its deadline.
class conversation {
public:
    conversation(int socket, int give_up, core::time_point deadline)
        : socket_{socket}, give_up_{give_up}, deadline_{deadline} {}

    bool connect(const socket_address& server) const {
        const auto* address = reinterpret_cast<const sockaddr*>(&server.storage);
        if (::connect(socket_, address, server.length) == 0) return true;
        if (errno != EINPROGRESS || !wait(POLLOUT)) return false;
        int failure = 0;
        socklen_t size = sizeof failure;
        return ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
    }

    // Four bytes always fit into an empty send buffer.
    bool ask() const {
        return ::send(socket_, k_question.data(), k_question.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(k_question.size());
    }

    // Until the server closes the connection.
    std::string answer() const {
        std::string out;
        std::array<char, 1024> buffer{};
        while (out.size() < k_longest_answer && wait(POLLIN)) {
            const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
            if (n > 0) out.append(buffer.data(), static_cast<std::size_t>(n));
            if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) break;
        }
        return out;
    }

private:
    bool wait(short events) const {
        for (;;) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(deadline_ - boottime_clock::now());
            if (left.count() <= 0) return false;
            std::array<pollfd, 2> both{{{socket_, events, 0}, {give_up_, POLLIN, 0}}};
            const int ready = ::poll(both.data(), both.size(), static_cast<int>(left.count()));
            if (ready < 0 && errno == EINTR) continue;
            return ready > 0 && both[1].revents == 0;
        }
    }

    int socket_;
    int give_up_;
    core::time_point deadline_;
};

}  // namespace

std::string to_string(const socket_address& address, address_form form) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    const auto* from = reinterpret_cast<const sockaddr*>(&address.storage);
    if (address.length == 0 ||
        ::getnameinfo(from, address.length, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {};
    }
    const bool brackets = form == address_form::for_people && address.storage.ss_family == AF_INET6;
    return brackets ? fmt::format("[{}]:{}", host.data(), port.data())
                    : fmt::format("{}:{}", host.data(), port.data());
}

core::server_role parse_role(std::string_view answer) noexcept {
    constexpr std::string_view k_label = "\nMode: ";
    const auto at = answer.find(k_label);
    if (at == std::string_view::npos) return core::server_role::unknown;
    std::string_view mode = answer.substr(at + k_label.size());
    mode = mode.substr(0, mode.find_first_of("\r\n"));
    if (mode == "standalone") return core::server_role::standalone;
    if (mode == "leader") return core::server_role::leader;
    if (mode == "follower") return core::server_role::follower;
    if (mode == "observer") return core::server_role::observer;
    if (mode == "read-only") return core::server_role::read_only;
    return core::server_role::unknown;
}

core::server_role ask_role(const socket_address& server, int give_up, core::duration limit) {
    const descriptor socket{
        ::socket(server.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (socket.get() < 0) return core::server_role::unknown;
    const conversation with{socket.get(), give_up, boottime_clock::now() + limit};
    if (!with.connect(server) || !with.ask()) return core::server_role::unknown;
    return parse_role(with.answer());
}

}  // namespace turnstile::zookeeper
