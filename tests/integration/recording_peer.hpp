// SPDX-License-Identifier: Apache-2.0
// recording_peer: a hostile server that sends fixed or endless bytes, and records what clients send.
//
// Thread safety: any thread may call all members.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace turnstile::tests {

class recording_peer {
public:
    struct manners {
        std::string greeting;   // sent when a client connects
        std::string answer;     // sent after the client's first bytes
        std::string and_again;  // repeated until the client closes the connection
    };

    explicit recording_peer(manners m)
        : manners_{std::move(m)}, listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), length);
        ::listen(listener_, 16);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
        port_ = ntohs(address.sin_port);
        thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
    }
    ~recording_peer() {
        thread_.request_stop();
        thread_.join();
        ::close(listener_);
    }
    recording_peer(const recording_peer&) = delete;
    recording_peer& operator=(const recording_peer&) = delete;

    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    // Returns the number of connections that clients have closed.
    [[nodiscard]] int closed() const { return closed_; }
    // Returns the largest number of bytes that a client accepted on one connection.
    [[nodiscard]] std::size_t most_taken() const { return most_taken_; }
    [[nodiscard]] std::string received() const {
        const std::lock_guard hold{mutex_};
        return received_;
    }

private:
    static constexpr int k_look_for_stop = 20;  // milliseconds

    static short await(int socket, short events) {
        pollfd waited{socket, events, 0};
        return ::poll(&waited, 1, k_look_for_stop) > 0 ? waited.revents : short{0};
    }

    void serve(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            if (await(listener_, POLLIN) == 0) continue;
            const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            talk(client, stop);
            ::close(client);
        }
    }

    void talk(int client, const std::stop_token& stop) {
        std::size_t taken = 0;
        const auto give = [&](const std::string& bytes) {
            const auto sent = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent > 0) taken += static_cast<std::size_t>(sent);
            if (taken > most_taken_) most_taken_ = taken;
            return sent >= 0;
        };
        give(manners_.greeting);
        bool answered = false;
        std::array<char, 65'536> room{};
        while (!stop.stop_requested()) {
            const bool floods = answered && !manners_.and_again.empty();
            const short ready = await(client, static_cast<short>(POLLIN | (floods ? POLLOUT : 0)));
            if ((ready & (POLLIN | POLLHUP | POLLERR)) != 0) {
                const auto came = ::recv(client, room.data(), room.size(), 0);
                if (came <= 0) break;
                keep({room.data(), static_cast<std::size_t>(came)});
                if (!std::exchange(answered, true)) give(manners_.answer);
            }
            if ((ready & POLLOUT) != 0 && !give(manners_.and_again)) break;
        }
        if (!stop.stop_requested()) ++closed_;
    }

    void keep(std::string bytes) {
        const std::lock_guard hold{mutex_};
        received_ += bytes;
    }

    const manners manners_;
    const int listener_;
    std::uint16_t port_ = 0;
    std::atomic<int> closed_{0};
    std::atomic<std::size_t> most_taken_{0};
    mutable std::mutex mutex_;
    std::string received_;
    std::jthread thread_;
};

}  // namespace turnstile::tests
