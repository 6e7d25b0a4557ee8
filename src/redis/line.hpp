// SPDX-License-Identifier: Apache-2.0
// line: one connection to a server, through hiredis. With TLS, OpenSSL transports the bytes, and hiredis only parses
// them. Only `ask` and the await functions block.
//
// Thread safety: two threads may use a line at the same time: one uses the members marked "Sending", and the other uses
// the rest. If several threads send, a lock must guard the members marked "Sending", except `write`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seam/seam.hpp"
#include "redis/reply_bound.hpp"
#include "redis/server_address.hpp"
#include "tls/tls.hpp"
#include "turnstile/error.hpp"
#include "turnstile/result.hpp"

struct redisContext;
struct redisReply;

namespace turnstile::redis {

struct reply_deleter {
    void operator()(redisReply* reply) const noexcept;
};
using owned_reply = std::unique_ptr<redisReply, reply_deleter>;

// Reads the certificate files and makes the TLS context of connections; null if TLS is disabled. Error: bad_option,
// with the file and the reason. hiredis 0.14 has no TLS, and later versions have it in a separate library. So OpenSSL
// transports the bytes.
[[nodiscard]] inline result<std::shared_ptr<const tls::context>> make_tls_context(
    const tls::settings& settings) {
    if (!settings.enabled) return std::shared_ptr<const tls::context>{};
    auto opened = tls::make_context(settings, "use redis:// for a connection without TLS");
    if (!opened.fault.empty()) return error{errc::bad_option, std::move(opened.fault)};
    return std::move(opened.value);
}

class line {
public:
    // Resolves the host's name, which may block, and begins to connect. After a failure, `broken` is true. Starts no
    // further resolution once the descriptor `give_up` is readable. With TLS (`tls` is not null), the server's
    // certificate must be for `name`, or for the host if `name` is empty.
    line(const server_address& to, const tls::context* tls, int give_up,
         const std::string& name = {});
    ~line();
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }
    // The error of hiredis, OpenSSL or the system that broke the connection.
    [[nodiscard]] std::string reason() const;
    // True if every new connection will also fail until a setting of the client or the server changes.
    [[nodiscard]] bool is_refused() const noexcept { return refused_; }
    [[nodiscard]] const server_address& address() const noexcept { return address_; }
    // The numeric address of the host; nothing if the name was not resolved.
    [[nodiscard]] const std::optional<server_address>& peer() const noexcept { return peer_; }

    // The duration of the name resolution. Callers extend their deadlines by it.
    [[nodiscard]] core::duration resolving() const noexcept { return resolving_; }

    // `go_on` connects, sends and reads as much as it can without waiting. Before the next `go_on`, poll() must wait
    // for the events that `awaited` returns. No other thread may use the line during these calls.
    void go_on();
    [[nodiscard]] short awaited() const noexcept;

    // Appends a command to the unsent bytes. Marked "Sending": the first comment of this file says when to lock.
    void append(const std::vector<std::string_view>& words);
    // Writes as many of the unsent bytes as the socket accepts. Returns false if bytes remain. Marked "Sending": the
    // first comment of this file says when to lock.
    bool send();
    // With the next three members, a thread holds no lock during the system call. `take_unsent` takes the unsent bytes
    // out of this object, `write` sends them, and `put_back` puts the bytes back that `write` did not send. All three
    // are marked "Sending": the first comment of this file says when to lock.
    [[nodiscard]] std::string take_unsent() noexcept { return std::exchange(unsent_, {}); }
    void put_back(std::string_view rest) { unsent_.insert(0, rest); }
    // Returns the number of bytes that the socket accepted. For a broken connection, returns the text's length: the
    // reading thread reports the break.
    std::size_t write(std::string_view text) const;

    // Reads all bytes that have arrived. Breaks the connection if a reply is too long.
    void receive();
    // Raises the limit for the length of replies. Call this when the handshake has succeeded.
    void allow_long_replies() noexcept;
    // Returns the next complete reply, or nothing if no complete reply has arrived.
    [[nodiscard]] owned_reply next();

    // await_connection() waits until the connection is established. await_reply() waits for the reply to the last
    // appended command, and ask() appends a command and waits for its reply. All three return false or null at
    // `deadline`, or when the descriptor `give_up` becomes readable.
    [[nodiscard]] bool await_connection(core::time_point deadline, int give_up);
    [[nodiscard]] owned_reply await_reply(core::time_point deadline, int give_up);
    [[nodiscard]] owned_reply ask(const std::vector<std::string_view>& words,
                                  core::time_point deadline, int give_up);

private:
    bool await(core::time_point deadline, int give_up);
    void go_on_connecting();
    void go_on_securing();
    void begin_to_connect(int give_up);
    void receive_secured();
    void break_off(std::string reason);
    void check();

    const server_address address_;
    const std::string name_;
    const tls::context* tls_;  // null: no TLS
    redisContext* context_ = nullptr;
    std::optional<server_address> peer_;
    core::duration resolving_{};
    std::unique_ptr<tls::stream> secured_;
    // The poll() events for which the connect or the TLS handshake waits; 0: both are complete.
    short opening_;
    bool broken_ = false;
    bool refused_ = false;
    std::optional<reply_bound> bound_;
    std::string unsent_;
    std::string reason_;
};

}  // namespace turnstile::redis
