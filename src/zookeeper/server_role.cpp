// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_role.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>

namespace turnstile::zookeeper {
namespace {

constexpr std::size_t k_longest_answer = 8192;

// One question to one server, over a connection of its own.
class conversation {
public:
    conversation(const socket_address& server, std::string_view question)
        : socket_{::socket(server.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                           0)},
          question_{question} {
        const auto* address = reinterpret_cast<const sockaddr*>(&server.storage);
        if (socket_ < 0) {
            over_ = true;
        } else if (::connect(socket_, address, server.length) == 0) {
            ask();
        } else {
            over_ = errno != EINPROGRESS;
        }
    }
    ~conversation() {
        if (socket_ >= 0) ::close(socket_);
    }
    conversation(const conversation&) = delete;
    conversation& operator=(const conversation&) = delete;

    [[nodiscard]] bool over() const noexcept { return over_; }
    [[nodiscard]] const std::string& answer() const noexcept { return answer_; }
    [[nodiscard]] pollfd wish() const noexcept {
        return {socket_, static_cast<short>(asked_ ? POLLIN : POLLOUT), 0};
    }

    // The socket is ready for what was wished.
    void go_on() {
        if (asked_) return read();
        int failure = 0;
        socklen_t size = sizeof failure;
        over_ = ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &failure, &size) != 0 || failure != 0;
        if (!over_) ask();
    }

private:
    // Four bytes always fit into an empty send buffer.
    void ask() {
        asked_ = true;
        over_ = ::send(socket_, question_.data(), question_.size(), MSG_NOSIGNAL) !=
                static_cast<ssize_t>(question_.size());
    }

    // Until the server closes the connection.
    void read() {
        std::array<char, 1024> buffer{};
        const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
        if (n > 0) answer_.append(buffer.data(), static_cast<std::size_t>(n));
        over_ = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN) ||
                answer_.size() >= k_longest_answer;
    }

    int socket_;
    std::string_view question_;
    bool asked_ = false;
    bool over_ = false;
    std::string answer_;
};

// Until all are over, `enough` says so of one that is, the time is up, or `give_up` is readable.
template <class F>
void converse(std::list<conversation>& all, int give_up, core::duration limit, F&& enough) {
    const auto deadline = boottime_clock::now() + limit;
    for (;;) {
        std::vector<pollfd> wishes{{give_up, POLLIN, 0}};
        for (const auto& each : all) {
            if (each.over() && enough(each)) return;
            wishes.push_back(each.over() ? pollfd{-1, 0, 0} : each.wish());
        }
        if (std::all_of(all.begin(), all.end(), [](const auto& each) { return each.over(); }))
            return;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - boottime_clock::now());
        if (left.count() <= 0) return;
        const int ready = ::poll(wishes.data(), wishes.size(), static_cast<int>(left.count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0 || wishes[0].revents != 0) return;
        auto wish = std::next(wishes.begin());
        for (auto& each : all)
            if ((wish++)->revents != 0) each.go_on();
    }
}

// The number behind a label at the start of a line; nothing if there is none.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n')) return std::nullopt;
    const auto digits = text.substr(at + label.size());
    std::int64_t value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end.ec != std::errc{}) return std::nullopt;
    return value;
}

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

std::optional<core::server_pace> parse_pace(std::string_view answer) noexcept {
    constexpr std::int64_t k_most = std::numeric_limits<std::int32_t>::max();
    const auto tick = number_after(answer, "tickTime=");
    const auto limit = number_after(answer, "syncLimit=");
    if (!tick || !limit || *tick < 1 || *tick > k_most || *limit < 1 || *limit > k_most / *tick)
        return std::nullopt;
    return core::server_pace{std::chrono::milliseconds{*tick}, static_cast<int>(*limit)};
}

std::string ask_server(const socket_address& server, std::string_view word, int give_up,
                       core::duration limit) {
    if (server.length == 0) return {};
    std::list<conversation> only;
    only.emplace_back(server, word);
    converse(only, give_up, limit, [](const conversation&) { return true; });
    return only.front().over() ? only.front().answer() : std::string{};
}

std::optional<socket_address> find_role(const std::vector<socket_address>& servers,
                                        core::server_role wanted, int give_up,
                                        core::duration limit) {
    std::list<conversation> all;
    for (const auto& server : servers) all.emplace_back(server, "srvr");
    const auto has_it = [wanted](const conversation& each) {
        return parse_role(each.answer()) == wanted;
    };
    converse(all, give_up, limit, has_it);
    auto server = servers.begin();
    for (const auto& each : all) {
        if (each.over() && has_it(each)) return *server;
        ++server;
    }
    return std::nullopt;
}

}  // namespace turnstile::zookeeper
