// SPDX-License-Identifier: Apache-2.0
// sentinel_inquiry: asks one sentinel for the master, over a separate line.
//
// A sentinel also reports the epoch of its configuration: each failover has a larger one. The inquiry reads the epoch
// before the address, in separate answers: so a new epoch never comes with an old address.
//
// Thread safety: none by itself: on the thread that owns it.
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

// Returns the epoch in the answer to SENTINEL MASTER; 0 if it has none.
[[nodiscard]] std::int64_t epoch_in(const redisReply& answer);
// Returns the address in the answer to SENTINEL GET-MASTER-ADDR-BY-NAME; nothing if it has none.
[[nodiscard]] std::optional<server_address> master_in(const redisReply& answer);

class sentinel_inquiry {
public:
    // Begins to connect, to the address `at` if its name was resolved before. `where` and `tls` live longer; no TLS
    // if that is null. `give_up` ends the resolution.
    sentinel_inquiry(server_address sentinel, const connect_string& where, const tls_context* tls,
                     int give_up, const std::optional<server_address>& at = {});

    // Called while no answer is pending.
    void ask();
    // Proceeds as far as possible without waiting.
    void go_on();
    [[nodiscard]] bool waits() const noexcept { return !open_.empty(); }
    // The last answer; `away` if none came and the line is broken.
    [[nodiscard]] const sentinel_answer& answer() const noexcept { return answer_; }
    [[nodiscard]] const server_address& sentinel() const noexcept { return sentinel_; }
    [[nodiscard]] const line& connection() const noexcept { return line_; }

private:
    enum class question { login, epoch, address };

    void handle(question asked, const redisReply& reply);
    void refuse(welcome result, const std::string& reason);

    const server_address sentinel_;
    const connect_string& where_;
    line line_;
    bool logged_in_ = false;
    std::deque<question> open_;
    sentinel_answer answer_;
    std::optional<sentinel_answer> next_;
};

}  // namespace turnstile::redis
