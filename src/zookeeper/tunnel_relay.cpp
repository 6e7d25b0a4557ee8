// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/tunnel_relay.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "turnstile/clock.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::chrono::seconds k_end_limit{1};
constexpr std::size_t k_piece = std::size_t{16} << 10U;  // size of a TLS record

}  // namespace

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
