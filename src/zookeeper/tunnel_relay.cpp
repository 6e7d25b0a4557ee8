// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/tunnel_relay.hpp"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "turnstile/clock.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr int k_most_without_proc = 65'536;

using name_call = int (*)(int, sockaddr*, socklen_t*);

std::optional<sockaddr_in> address_by(name_call call, int descriptor) noexcept {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    if (call(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
        address.sin_family != AF_INET)
        return std::nullopt;
    return address;
}

bool same(const std::optional<sockaddr_in>& a, const sockaddr_in& b) noexcept {
    return a && a->sin_port == b.sin_port && a->sin_addr.s_addr == b.sin_addr.s_addr;
}

// Calls `is_wanted` for each descriptor, until it returns true. Returns whether it returned true.
template <class Predicate>
bool any_descriptor(Predicate&& is_wanted) noexcept {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/proc/self/fd"), &::closedir};
    if (!folder) {
        for (int each = 0; each != k_most_without_proc; ++each)
            if (is_wanted(each)) return true;
        return false;
    }
    while (const dirent* const entry = ::readdir(folder.get()))
        if (entry->d_name[0] != '.' && is_wanted(std::atoi(entry->d_name))) return true;
    return false;
}

constexpr std::chrono::seconds k_end_limit{1};
constexpr std::size_t k_piece = std::size_t{16} << 10U;  // size of a TLS record

}  // namespace

bool is_own_connection(int accepted) noexcept {
    const auto here = address_by(&::getsockname, accepted);
    const auto there = address_by(&::getpeername, accepted);
    if (!here || !there) return false;
    return any_descriptor([&](int each) {
        return same(address_by(&::getsockname, each), *there) &&
               same(address_by(&::getpeername, each), *here);
    });
}

tunnel_relay::tunnel_relay(support::descriptor local, std::unique_ptr<tls_stream> link,
                           std::string name, std::string inward)
    : local_{std::move(local)},
      link_{std::move(link)},
      name_{std::move(name)},
      inward_{std::move(inward)} {}

// Returns the sockets and events for poll(). OpenSSL may hold bytes that it has already read from the socket. The
// caller need not poll for these bytes, because move() takes them while the buffer has space.
std::array<pollfd, 2> tunnel_relay::wishes() const noexcept {
    const auto events = [](bool reads, bool writes) {
        return static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
    };
    return {
        {{local_ended_ ? -1 : local_.get(), events(outward_.size() < k_room, !inward_.empty()), 0},
         {server_ended_ ? -1 : link_->socket(), events(inward_.size() < k_room, !outward_.empty()),
          0}}};
}

bool tunnel_relay::move() {
    for (bool moved = true; moved;) {
        moved = read_local();
        moved = write_server() || moved;
        moved = read_server() || moved;
        moved = write_local() || moved;
    }
    if (server_ended_ && (inward_.empty() || local_ended_)) return false;
    if (local_ended_ && outward_.empty()) {
        if (link_->secured() != nullptr) link_->secured()->finish();
        return false;
    }
    return true;
}

void tunnel_relay::end() {
    const auto until = boottime_clock::now() + k_end_limit;
    // Sends to the server the bytes that the C client has already written into the local connection.
    while (move() && boottime_clock::now() < until) {
        auto both = wishes();
        static_cast<void>(::poll(both.data(), both.size(), 10));
    }
}

bool tunnel_relay::read_local() {
    if (local_ended_ || outward_.size() >= k_room) return false;
    std::array<char, k_piece> piece{};
    const auto n = ::recv(local_.get(), piece.data(), piece.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n <= 0) {
        local_ended_ = true;
        return false;
    }
    outward_.append(piece.data(), static_cast<std::size_t>(n));
    return true;
}

bool tunnel_relay::write_local() {
    if (local_ended_ || inward_.empty()) return false;
    const auto n = ::send(local_.get(), inward_.data(), inward_.size(), MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n < 0) {
        local_ended_ = true;
        return false;
    }
    inward_.erase(0, static_cast<std::size_t>(n));
    return true;
}

bool tunnel_relay::read_server() {
    if (server_ended_ || inward_.size() >= k_room) return false;
    std::array<char, k_piece> piece{};
    const auto n = link_->secured()->read(piece.data(), piece.size());
    if (n < 0) {
        server_ended_ = true;
        if (link_->secured()->is_refused()) reason_ = name_ + ": " + link_->secured()->reason();
        return false;
    }
    inward_.append(piece.data(), static_cast<std::size_t>(n));
    return n > 0;
}

bool tunnel_relay::write_server() {
    if (server_ended_ || outward_.empty()) return false;
    const auto n = link_->secured()->write(std::string_view{outward_}.substr(0, k_piece));
    if (n < 0) {
        server_ended_ = true;
        return false;
    }
    outward_.erase(0, static_cast<std::size_t>(n));
    return n > 0;
}

}  // namespace turnstile::zookeeper
