// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/session_fault.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "servers/tcp.hpp"
#include "servers/wire.hpp"
#include "support/hexadecimal.hpp"
#include "turnstile/testing/frame.hpp"

namespace turnstile::testing {

namespace {

constexpr std::size_t k_password_size = 16;

// Returns a message without its length field; empty at the end of the stream.
std::string receive_message(detail::tcp_connection& connection) {
    const auto head = connection.receive_exactly(4);
    const auto size = detail::wire_reader{std::as_bytes(std::span{head})}.int32();
    return size > 0 ? connection.receive_exactly(static_cast<std::size_t>(size)) : std::string{};
}

// Makes a ConnectRequest: version, last zxid seen, timeout, session, password, and whether a read-only server suffices.
// The server limits the timeout to its bounds.
std::string attach_request(std::int64_t session_id, std::string_view password) {
    constexpr std::int32_t k_timeout_ms = 10'000;
    detail::wire_writer out;
    out.int32(0).int64(0).int32(k_timeout_ms).int64(session_id).string(password);
    out.raw(std::string_view{"\0", 1});
    return out.text();
}

std::string close_request() {
    return detail::wire_writer{}.int32(1).int32(opcode::close_session).text();
}

// Closes one session through one of several servers.
class closing {
public:
    closing(std::int64_t session_id, std::string_view password)
        : session_id_{session_id}, password_{password} {}

    // Returns false if this server does not answer. Throws if it reports that the session does not exist.
    bool close_through(const std::string& server) {
        constexpr std::chrono::seconds k_patience{3};  // for a server that may be paused
        const auto [host, port] = detail::parse_address(server);
        try {
            detail::tcp_connection connection{host, port, k_patience};
            connection.send(
                detail::wire_writer{}.string(attach_request(session_id_, password_)).text());
            const auto attached = receive_message(connection);
            if (attached.empty()) return false;
            if (session_in(attached) != session_id_) return gone();
            asked_ = true;
            connection.send(detail::wire_writer{}.string(close_request()).text());
            return !receive_message(connection).empty();
        } catch (const std::system_error&) {
            return false;
        }
    }

private:
    static std::int64_t session_in(const std::string& answer) {
        return detail::wire_reader{std::as_bytes(std::span{answer})}.skip(8).int64();
    }

    // Returns true if an earlier attempt closed the session, and only the answer was lost. Throws otherwise.
    [[nodiscard]] bool gone() const {
        if (asked_) return true;
        throw std::runtime_error{"session " + support::hexadecimal_number(session_id_) +
                                 " is gone, or the password is wrong"};
    }

    std::int64_t session_id_;
    std::string_view password_;
    bool asked_ = false;
};

}  // namespace

void close_session(const std::string& connect_string, std::int64_t session_id,
                   std::string_view password, test_deadline until) {
    if (password.size() != k_password_size) {
        throw std::runtime_error{"a session's password has 16 bytes"};
    }
    const auto servers = detail::split_connect_string(connect_string);
    closing attempt{session_id, password};
    const auto close_through_any = [&] {
        return std::any_of(servers.begin(), servers.end(), [&](const std::string& server) {
            return attempt.close_through(server);
        });
    };
    if (!eventually(close_through_any, until)) {
        throw std::runtime_error{"no server closed session " +
                                 support::hexadecimal_number(session_id)};
    }
}

namespace {

// Returns true if a server's "dump" names the session among its sessions or as an owner of znodes. Ignores the list of
// connections, because a connection may outlive its session for a moment.
bool names(const std::string& dump, const std::string& session) {
    std::istringstream words{dump.substr(0, dump.find("Connections dump"))};
    for (std::string word; words >> word;) {
        // A list of sessions has "0x10001", and the list of a session's znodes begins with "0x10001:".
        if (word == session || word == session + ":") return true;
    }
    return false;
}

}  // namespace

bool session_alive(const ensemble& servers, std::int64_t session_id) {
    const auto session = support::hexadecimal_number(session_id);
    bool requested = false;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const auto& server = servers.server(i);
        if (!server.running() || server.paused()) continue;
        if (server.mode().empty()) return true;
        if (names(server.four_letter_word("dump"), session)) return true;
        requested = true;
    }
    return !requested;
}

void wait_until_expired(const ensemble& servers, std::int64_t session_id, test_deadline until) {
    if (!eventually([&] { return !session_alive(servers, session_id); }, until)) {
        throw std::runtime_error{"session " + support::hexadecimal_number(session_id) +
                                 " did not expire in time"};
    }
}

}  // namespace turnstile::testing
