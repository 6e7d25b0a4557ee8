// SPDX-License-Identifier: Apache-2.0
// line: one connection to a server, carried by hiredis, or by TLS with hiredis as the parser. It never blocks but in
// `ask` and in what awaits.
//
// Thread safety: what is to be sent is one half, its members are marked; the rest is the other, for the thread that owns
// the line. A user with several threads has a lock for the first half; `write` needs none.
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

    // The constructor resolves the host's name, which may block, and begins to connect. A failure of either is told by
    // `broken`. Once `give_up`, a descriptor, is readable it asks the resolver for nothing more.
    // With TLS, where `tls` is not null, the certificate has to name `name`, the host if that is empty.
    line(const server_address& to, const tls_context* tls, int give_up,
         const std::string& name = {});
    ~line();
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] bool broken() const noexcept { return broken_; }
    // Why it is broken, in hiredis's, OpenSSL's or the system's words.
    [[nodiscard]] std::string reason() const;
    // It will be broken again, unless the settings of the client or the server change.
    [[nodiscard]] bool is_refused() const noexcept { return refused_; }
    // That was asked for.
    [[nodiscard]] const server_address& address() const noexcept { return address_; }
    // The address that its name stands for, in numbers; nothing if the name is not known.
    [[nodiscard]] const std::optional<server_address>& peer() const noexcept { return peer_; }

    // How long the resolver took: time that no server had.
    [[nodiscard]] core::duration resolving() const noexcept { return resolving_; }

    // Connects, sends and reads as far as that goes without waiting; `awaited`: the events of poll() that it waits for.
    // Both belong to both halves.
    void go_on();
    [[nodiscard]] short awaited() const noexcept;

    // Sending: puts a command behind those that are to be sent.
    void append(const std::vector<std::string_view>& words);
    // Sending: sends what the socket takes now. False if something is left.
    bool send();
    [[nodiscard]] bool sent_all() const noexcept { return unsent_.empty(); }
    // Sending, for a user that writes under no lock: what is to be sent, and what of it was not.
    [[nodiscard]] std::string take_unsent() noexcept { return std::exchange(unsent_, {}); }
    void put_back(std::string_view rest) { unsent_.insert(0, rest); }
    // How many bytes the socket took. A broken connection takes all: that it is broken is found by reading.
    std::size_t write(std::string_view text) const;

    // Reads what has come. Breaks the connection if one reply, or the room for its arrays, grows beyond k_longest_greeting, or after
    // `allow_long_replies` beyond k_longest_reply: a server must not decide how much memory a client takes.
    void receive();
    // Called once the server has passed the handshake.
    void allow_long_replies() noexcept;
    // The next reply that is whole; nothing if there is none yet.
    [[nodiscard]] owned_reply next();

    // Waits until the connection stands, or for the reply to what was appended last, up to `deadline`; gives up when
    // `give_up`, a descriptor, becomes readable. A reply that is null: it did not come.
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
    const tls_context* tls_;  // null: none
    redisContext* context_ = nullptr;
    stage stage_ = stage::connecting;
    std::optional<server_address> peer_;
    core::duration resolving_{};
    std::unique_ptr<tls_stream> secured_;
    short secured_awaits_ = 0;  // while it is being secured
    bool broken_ = false;
    bool refused_ = false;
    std::size_t longest_reply_ = k_longest_greeting;
    std::size_t since_reply_ = 0;  // bytes that came since `next` found a reply
    std::optional<array_bound> elements_;
    std::string unsent_;
    std::string reason_;
};

}  // namespace turnstile::redis
