// SPDX-License-Identifier: Apache-2.0
// sentinel_inquiry: asks one sentinel for the address of the master, over a separate connection.
//
// A sentinel also reports the epoch of its configuration, which each failover increases. The inquiry asks for the epoch
// first and for the address second. So a new epoch is never combined with an old address.
//
// Thread safety: none. Use an inquiry only on the thread that owns it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "redis/connect_string.hpp"
#include "redis/handshake.hpp"
#include "redis/line.hpp"

namespace turnstile::redis {

struct sentinel_answer {
    welcome result = welcome::away;
    std::string reason;  // set unless ok
    server_address master;
    std::int64_t epoch = 0;
};

// Returns the epoch (the number of the sentinels' configuration) in the answer to SENTINEL MASTER, or 0 if the answer
// has no epoch.
[[nodiscard]] std::int64_t epoch_in(const redisReply& answer);
// Returns the address in the answer to SENTINEL GET-MASTER-ADDR-BY-NAME, or nothing if the answer has no address.
[[nodiscard]] std::optional<server_address> master_in(const redisReply& answer);

class sentinel_inquiry {
public:
    // Begins to connect to the sentinel. `at`: the sentinel's numeric address, if known. `where` and `tls` must outlive
    // the inquiry; a null `tls` means no TLS. When the descriptor `give_up` becomes readable, the constructor stops the
    // name resolution.
    sentinel_inquiry(server_address sentinel, const redis_address& where, const tls::context* tls,
                     int give_up, const std::optional<server_address>& at = {});

    // Asks the sentinel for the epoch of its configuration and for the master's address. Call this only while `waits`
    // is false.
    void ask();
    // Connects, sends and reads as far as possible without waiting.
    void go_on();
    [[nodiscard]] bool waits() const noexcept { return !open_.empty(); }
    // The last complete answer. If the connection broke before any answer, the answer's result is `away`.
    [[nodiscard]] const sentinel_answer& answer() const noexcept { return answer_; }
    [[nodiscard]] const server_address& sentinel() const noexcept { return sentinel_; }
    [[nodiscard]] const line& connection() const noexcept { return line_; }

private:
    enum class question { login, epoch, address };

    void handle(question asked, const redisReply& reply);
    void refuse(welcome result, const std::string& reason);

    const server_address sentinel_;
    const redis_address& where_;
    line line_;
    bool logged_in_ = false;
    std::deque<question> open_;
    sentinel_answer answer_;
    std::optional<sentinel_answer> next_;
};

}  // namespace turnstile::redis
