// SPDX-License-Identifier: Apache-2.0
// fake_server: a loopback socket that acts as a server for a guardian (a process that closes the sessions of dead
// processes), and functions that make a server's answers.
//
// Thread safety: for one thread.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "guardian/message.hpp"
#include "support/descriptor.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::guardian {

inline constexpr std::size_t k_attach_length = 49;
inline constexpr std::size_t k_close_length = 12;

// Makes the answer to the request that attaches a session: version, timeout (its low byte), session, password.
inline packet attach_answer(std::uint8_t timeout) {
    packet bytes(4 + 36);
    bytes[3] = std::byte{36};
    bytes[11] = std::byte{timeout};
    return bytes;
}

inline packet close_answer(std::uint8_t error) {
    packet bytes(4 + 16);
    bytes[3] = std::byte{16};
    bytes[7] = std::byte{1};
    bytes[19] = std::byte{error};
    return bytes;
}

// Makes the answer to the guardian's first SASL request, with the server's token.
inline packet token_answer(std::uint8_t error, std::string_view token) {
    packet bytes(4 + 16 + 4);
    bytes[3] = static_cast<std::byte>(20 + token.size());
    bytes[7] = std::byte{2};
    bytes[19] = std::byte{error};
    bytes[23] = static_cast<std::byte>(token.size());
    const auto text = std::as_bytes(std::span{token});
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

class fake_server {
public:
    fake_server() : listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        ::listen(listener_.get(), 8);
        where.length = sizeof(sockaddr_in);
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&where.address), &where.length);
    }
    void accept() {
        pollfd request{listener_.get(), POLLIN, 0};
        const auto longest = static_cast<int>(testing::limit().count());
        ASSERT_EQ(::poll(&request, 1, longest), 1) << "nothing connects";
        connection_ = support::descriptor{::accept(listener_.get(), nullptr, nullptr)};
    }
    void refuse_all() { listener_.reset(); }
    void cut() { connection_.reset(); }
    packet read(std::size_t length) {
        packet bytes(length);
        EXPECT_TRUE(receive(bytes));
        return bytes;
    }
    void write(const packet& bytes) { EXPECT_TRUE(send(bytes)); }

    // Accepts connections until the guardian has ended this session. On a slow machine the guardian may reconnect, or
    // end an earlier session first.
    void serve_end(std::int64_t session) {
        while (!::testing::Test::HasFailure()) {
            accept();
            if (serve_one() == session) return;
        }
    }

    endpoint where;

private:
    [[nodiscard]] bool receive(packet& into) {
        return ::recv(connection_.get(), into.data(), into.size(), MSG_WAITALL) == std::ssize(into);
    }
    [[nodiscard]] bool send(const packet& bytes) {
        return ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               std::ssize(bytes);
    }
    // Serves one connection. Returns the session that the guardian closed; nothing if it disconnected before.
    std::optional<std::int64_t> serve_one() {
        constexpr std::size_t k_session_at =
            20;  // after the length, the version, the transaction number and the timeout
        packet attach(k_attach_length);
        packet close(k_close_length);
        if (!receive(attach) || !send(attach_answer(30)) || !receive(close) ||
            !send(close_answer(0)))
            return std::nullopt;
        std::int64_t session = 0;
        for (std::size_t i = 0; i != sizeof session; ++i)
            session = session << 8U | std::to_integer<std::int64_t>(attach[k_session_at + i]);
        return session;
    }

    support::descriptor listener_;
    support::descriptor connection_;
};

}  // namespace turnstile::guardian
