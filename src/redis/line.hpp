// SPDX-License-Identifier: Apache-2.0
// line: one connection to a server, through hiredis, or through TLS with hiredis as the parser. Only `ask` and the
// await functions block.
//
// Thread safety: the members marked "Sending" are one half; the rest is the other, for the thread that owns the line.
// A user with several threads guards the first half with a lock; `write` needs none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seam/seam.hpp"
#include "redis/array_bound.hpp"
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
    static constexpr std::size_t k_longest_greeting = std::size_t{1} << 20U;  // bytes
    static constexpr std::size_t k_longest_reply = std::size_t{256} << 20U;   // bytes

    // The constructor resolves the host's name, which may block, and begins to connect. `broken` reports a failure of
    // either. Once `give_up`, a descriptor, is readable, the constructor starts no further resolution. With TLS
    // (`tls` is not null) the certificate must name `name`, or the host if that is empty.
    line(const server_address& to, const tls_context* tls, int give_up,
         const std::string& name = {});
    ~line();
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }
    // The reason in the words of hiredis, OpenSSL or the system.
    [[nodiscard]] std::string reason() const;
    // True if it will break again, unless the settings of the client or the server change.
    [[nodiscard]] bool is_refused() const noexcept { return refused_; }
    // The requested address.
    [[nodiscard]] const server_address& address() const noexcept { return address_; }
    // The numeric address to which its name resolved; nothing if the name is unknown.
    [[nodiscard]] const std::optional<server_address>& peer() const noexcept { return peer_; }

    // The resolver's time, which counts against no server.
    [[nodiscard]] core::duration resolving() const noexcept { return resolving_; }

    // Connects, sends and reads as far as possible without waiting; `awaited`: the events for which poll() must wait.
    // Both belong to both halves.
    void go_on();
    [[nodiscard]] short awaited() const noexcept;

    // Sending: appends a command to the unsent ones.
    void append(const std::vector<std::string_view>& words);
    // Sending: sends what the socket accepts now. Returns false if bytes are left.
    bool send();
    [[nodiscard]] bool sent_all() const noexcept { return unsent_.empty(); }
    // Sending, for a user that writes without a lock: takes the unsent bytes, and puts back the rest.
    [[nodiscard]] std::string take_unsent() noexcept { return std::exchange(unsent_, {}); }
    void put_back(std::string_view rest) { unsent_.insert(0, rest); }
    // Returns the number of bytes that the socket took. A broken connection takes all; reading detects the break.
    std::size_t write(std::string_view text) const;

    // Reads all bytes that have arrived. Breaks the connection if a reply or its arrays exceed k_longest_greeting, or
    // after `allow_long_replies` k_longest_reply: a server must not decide how much memory a client takes.
    void receive();
    // Called once the server has passed the handshake.
    void allow_long_replies() noexcept;
    // Returns the next whole reply; nothing if there is none yet.
    [[nodiscard]] owned_reply next();

    // Waits until the connection exists, or for the reply to the last appended command, up to `deadline`; gives up
    // when `give_up`, a descriptor, becomes readable. A null reply did not come.
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
    void begin_reply() noexcept;
    void count(std::size_t bytes);
    void break_off(std::string reason);
    void check();

    enum class stage { connecting, securing, up };

    const server_address address_;
    const std::string name_;
    const tls_context* tls_;  // null: no TLS
    redisContext* context_ = nullptr;
    stage stage_ = stage::connecting;
    std::optional<server_address> peer_;
    core::duration resolving_{};
    std::unique_ptr<tls_stream> secured_;
    short secured_awaits_ = 0;  // events, during the TLS handshake
    bool broken_ = false;
    bool refused_ = false;
    std::size_t longest_reply_ = k_longest_greeting;
    std::size_t since_reply_ = 0;  // bytes received since `next` found a reply
    std::optional<array_bound> elements_;
    std::string unsent_;
    std::string reason_;
};

}  // namespace turnstile::redis
