// SPDX-License-Identifier: Apache-2.0
// For tests: a raw connection to the admin page's server, and the server's answer.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "support/descriptor.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::tests {

using json = nlohmann::json;

struct http_answer {
    int status = 0;  // 0: the server closed the connection without an answer
    std::string head;
    std::string body;

    [[nodiscard]] json value() const { return json::parse(body, nullptr, false); }
    [[nodiscard]] std::string code() const {
        const auto said = value();
        return said.is_object() && said.contains("error") ? said["error"]["code"].get<std::string>()
                                                          : "";
    }
    // Returns the value of a header, or an empty text if the answer has no such header.
    [[nodiscard]] std::string header(const std::string& name) const {
        const auto at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return {};
        const auto begin = at + name.size() + 4;
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

// A connection from this machine to a server on this machine.
class http_link {
public:
    // Connects from 127.0.0.`host`. The server counts its limits per address, so each `host` has separate
    // limits.
    explicit http_link(std::uint16_t port, std::uint32_t host = 1)
        : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in own{};
        own.sin_family = AF_INET;
        own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
        EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(
            ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            0);
    }
    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;  // the server reads no further bytes
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    // Closes the sending half of the connection, by which the server sees the end of the request.
    void finish() const { ::shutdown(socket_.get(), SHUT_WR); }
    // Returns further bytes of the answer. Empty at the answer's end, and if no byte arrives in time.
    [[nodiscard]] std::string receive() const {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(testing::limit());
        pollfd wish{socket_.get(), POLLIN, 0};
        if (::poll(&wish, 1, static_cast<int>(left.count())) <= 0) return {};
        std::array<char, 65'536> room{};
        const auto count = ::recv(socket_.get(), room.data(), room.size(), 0);
        return count <= 0 ? std::string{}
                          : std::string{room.data(), static_cast<std::size_t>(count)};
    }
    // Returns true if the server has closed the connection. Discards what the server sent before.
    [[nodiscard]] bool is_over() const {
        std::array<char, 65'536> room{};
        for (;;) {
            const auto count = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
            if (count == 0 || (count < 0 && errno != EAGAIN)) return true;
            if (count < 0) return false;
        }
    }
    // Reads until `text` has arrived. Returns false if the connection ends first.
    [[nodiscard]] bool receive_until(const std::string& text) {
        while (received_.find(text) == std::string::npos) {
            const auto more = receive();
            if (more.empty()) return false;
            received_ += more;
        }
        received_.erase(0, received_.find(text) + text.size());
        return true;
    }
    [[nodiscard]] http_answer whole_answer() const {
        std::string all;
        for (auto more = receive(); !more.empty(); more = receive()) all += more;
        http_answer answer;
        const auto end = all.find("\r\n\r\n");
        if (end == std::string::npos) return answer;
        answer.head = all.substr(0, end + 2);
        answer.body = all.substr(end + 4);
        answer.status = std::atoi(all.substr(all.find(' ') + 1, 3).c_str());
        return answer;
    }

private:
    support::descriptor socket_;
    std::string received_;
};

}  // namespace turnstile::tests
