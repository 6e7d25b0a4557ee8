// SPDX-License-Identifier: Apache-2.0
// line: one connection to a server, through hiredis. With TLS, OpenSSL sends and receives the bytes, and hiredis only
// parses them. Only `ask` and the await functions block.
//
// Thread safety: two threads may use a line at the same time: one the members marked "Sending", one all other members.
// A user with several sending threads guards the members marked "Sending" with a lock; `write` needs no lock.
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
#include "redis/tls.hpp"

struct redisContext;
struct redisReply;

namespace turnstile::redis {

struct reply_deleter {
    void operator()(redisReply* reply) const noexcept;
};
using owned_reply = std::unique_ptr<redisReply, reply_deleter>;

class line {
public:
    // Resolves the host's name, which may block, and begins to connect. If one of the two fails, `broken` is true. Once
    // `give_up`, a descriptor, is readable, the constructor starts no further resolution. With TLS (`tls` is not null)
    // the certificate must be for `name`, or for the host if `name` is empty.
    line(const server_address& to, const tls_context* tls, int give_up,
         const std::string& name = {});
    ~line();
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }
    // The reason of the break, in the words of hiredis, OpenSSL or the system.
    [[nodiscard]] std::string reason() const;
    // True if each later connection will also break, until the settings of the client or the server change.
    [[nodiscard]] bool is_refused() const noexcept { return refused_; }
    // The address that the user of this line requested.
    [[nodiscard]] const server_address& address() const noexcept { return address_; }
    // The numeric address to which the host's name resolved; nothing if the name is unknown.
    [[nodiscard]] const std::optional<server_address>& peer() const noexcept { return peer_; }

    // The time that the resolver took. The callers add it to their deadlines.
    [[nodiscard]] core::duration resolving() const noexcept { return resolving_; }

    // `go_on` connects, sends and reads as far as possible without waiting. `awaited` returns the events for which
    // poll() must wait before the next `go_on`. No other thread may use the line during these two calls.
    void go_on();
    [[nodiscard]] short awaited() const noexcept;

    // Sending: appends a command to the unsent bytes.
    void append(const std::vector<std::string_view>& words);
    // Sending: sends the bytes that the socket accepts now. Returns false if bytes are left.
    bool send();
    // Sending, for a user that calls `write` without a lock: takes the unsent bytes, and puts back the bytes that
    // `write` has left.
    [[nodiscard]] std::string take_unsent() noexcept { return std::exchange(unsent_, {}); }
    void put_back(std::string_view rest) { unsent_.insert(0, rest); }
    // Returns the number of bytes that the socket accepted. If the connection is broken, returns the length of the
    // text: the reading thread detects the break.
    std::size_t write(std::string_view text) const;

    // Reads all bytes that have arrived. Breaks the connection if a reply is too long.
    void receive();
    // Raises the limit. Call this once the server has passed the handshake.
    void allow_long_replies() noexcept;
    // Returns the next complete reply, or nothing if no complete reply has arrived.
    [[nodiscard]] owned_reply next();

    // These functions wait until the connection exists, or until the reply to the last appended command has arrived.
    // They give up at `deadline`, and when `give_up`, a descriptor, becomes readable; then they return false or null.
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
    const tls_context* tls_;  // null: no TLS
    redisContext* context_ = nullptr;
    std::optional<server_address> peer_;
    core::duration resolving_{};
    std::unique_ptr<tls_stream> secured_;
    // The events for which the connection or its TLS handshake waits; 0: the line is up.
    short opening_;
    bool broken_ = false;
    bool refused_ = false;
    std::optional<reply_bound> bound_;
    std::string unsent_;
    std::string reason_;
};

}  // namespace turnstile::redis
