// SPDX-License-Identifier: Apache-2.0
// master_search: finds the servers on which a session may be opened, from the connect string or from the sentinels.
//
// The client asks all sentinels at once, and one reply is enough. If the replies differ, the client uses the reply with
// the latest epoch (the number of the sentinels' configuration): a sentinel that was disconnected or has just started
// may name an old master. Later the client asks the named server itself whether it is a master (handshake.hpp).
//
//     sentinel_inquiry   asks one sentinel for the address of the master
//
// Thread safety: none. Use each object from one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

// Asks one sentinel for the address of the master, over a separate connection.
//
// A sentinel also reports the epoch of its configuration, which each failover increases. The inquiry asks for the epoch
// first and for the address second. So a new epoch is never combined with an old address.
//
// Thread safety: none. Use an inquiry only on the thread that owns it.
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

struct found_servers {
    welcome result = welcome::away;
    std::string reason;                      // set unless ok
    std::vector<server_address> candidates;  // try them in this order
    std::int64_t epoch = 0;                  // epoch of the sentinels' configuration
    core::duration resolving{};              // the time that the name resolver took
};

[[nodiscard]] found_servers choose(const std::vector<sentinel_answer>& answers);

using sentinel_inquiries = std::vector<std::unique_ptr<sentinel_inquiry>>;

// Sets the result of each answer whose epoch is below `least_epoch` to `away`, as if the sentinel did not know the
// master.
void leave_out_older(std::vector<sentinel_answer>& answers, std::int64_t least_epoch);

// Waits until more than half of the sentinels have named a master, but at most until `deadline` plus the time of the
// name resolution. Gives up when the descriptor `give_up` becomes readable. `asked` receives the inquiries, except the
// inquiries to sentinels whose names were not resolved.
[[nodiscard]] found_servers find_servers(const redis_address& where, const tls::context* tls,
                                         core::time_point deadline, int give_up,
                                         std::int64_t least_epoch, sentinel_inquiries& asked);

}  // namespace turnstile::redis
