// SPDX-License-Identifier: Apache-2.0
// redis_fence: a shop on Redis that cannot sell the same ticket twice, however long a seller is paused.
//
// The tickets and the locks are on one Redis server. A seller reads the number of tickets under a lock, is paused, and
// sells. By then the number may be outdated: the seller's session has expired, and another seller had the lock.
// turnstile::redis::check() returns arguments for the seller's own script. With them the script checks whether the hold
// still exists, and then writes. The script runs as a whole, so no pause can come between the check and the write
// (docs/why/redis.md). The program first shows the same sale without that check.
//
//     redis_fence [redis://host:port]
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hiredis/hiredis.h>

#include "paused_process.hpp"
#include "turnstile/redis.hpp"
#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// The shop's keys begin with the hash tag of the locks. So on a Redis Cluster they are on the same node as the locks.
constexpr const char* k_left_over = "{turnstile}:tickets";
constexpr const char* k_sold = "{turnstile}:sold";

// A seller's connection to the shop's data.
class shop {
public:
    explicit shop(const std::string& address) {
        const auto colon = address.rfind(':');
        int port = 0;
        std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
        connection_.reset(::redisConnect(address.substr(0, colon).c_str(), port));
        if (!connection_ || connection_->err != 0) throw std::runtime_error{"no shop"};
    }

    long long run(const std::vector<std::string>& words) {
        std::vector<const char*> texts;
        std::vector<std::size_t> lengths;
        for (const auto& word : words) {
            texts.push_back(word.data());
            lengths.push_back(word.size());
        }
        const std::unique_ptr<redisReply, forget> reply{static_cast<redisReply*>(::redisCommandArgv(
            connection_.get(), static_cast<int>(words.size()), texts.data(), lengths.data()))};
        if (!reply) throw std::runtime_error{static_cast<const char*>(connection_->errstr)};
        if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error{reply->str};
        if (reply->type == REDIS_REPLY_STRING) return std::stoll(reply->str);
        return reply->integer;
    }
    void open() {
        run({"DEL", k_sold});
        run({"SET", k_left_over, "1"});
    }
    long long tickets() { return run({"GET", k_left_over}); }
    long long sold() { return run({"LLEN", k_sold}); }

    // Sells one of `read` tickets, without a check of the lock.
    bool sell_blindly(long long read, const std::string& seller) {
        run({"EVAL", k_sale, "2", k_left_over, k_sold, std::to_string(read - 1), seller});
        return true;
    }
    // Sells one of `read` tickets, if the hold still exists.
    bool sell(const turnstile::redis::script_check& hold, long long read,
              const std::string& seller) {
        const std::string script = std::string{turnstile::redis::stands_function()} +
                                   "if not turnstile_stands(KEYS[3], ARGV[3]) then return 0 end " +
                                   k_sale;
        return run({"EVAL", script, "3", k_left_over, k_sold, hold.key, std::to_string(read - 1),
                    seller, hold.znode}) == 1;
    }

private:
    struct close {
        void operator()(redisContext* connection) const { ::redisFree(connection); }
    };
    struct forget {
        void operator()(redisReply* reply) const { ::freeReplyObject(reply); }
    };
    static constexpr const char* k_sale =
        "redis.call('SET', KEYS[1], ARGV[1]) redis.call('RPUSH', KEYS[2], ARGV[2]) return 1";
    std::unique_ptr<redisContext, close> connection_;
};

// A seller, whose constructor waits for the lock.
class seller {
public:
    seller(const std::string& where, std::string name)
        : name_{std::move(name)},
          locks_{where, {.session_timeout = k_session}},
          lock_{locks_, "/locks/tickets"},
          shop_{where.substr(std::string{"redis://"}.size())},
          hold_{lock_.acquire({.timeout = 30s}).value()},
          stands_{turnstile::redis::check(hold_).value()},
          seen_{shop_.tickets()} {}

    [[nodiscard]] long long seen() const { return seen_; }
    bool sell(bool checked) {
        return checked ? shop_.sell(stands_, seen_, name_) : shop_.sell_blindly(seen_, name_);
    }

private:
    static constexpr std::chrono::seconds k_session{4};

    const std::string name_;
    turnstile::client locks_;
    turnstile::mutex lock_;
    shop shop_;
    turnstile::guard hold_;
    turnstile::redis::script_check stands_;
    long long seen_;
};

// Reads the number of tickets under the lock, pauses, and then sells a ticket. Runs in a separate process. The pause is
// longer than the session lasts, so another seller gets the lock meanwhile.
bool sell_slowly(const std::string& where, bool checked) {
    // hides the library's log line about the loss of the session
    turnstile::set_log_level(turnstile::log_level::error);
    seller slow{where, "slow"};
    std::cout << "the slow seller sees " << slow.seen() << " ticket and stands still\n";
    paused_process::stand_still();
    return slow.sell(checked);
}

void sell_the_last_ticket(const std::string& where, bool checked) {
    shop counted{where.substr(std::string{"redis://"}.size())};
    counted.open();
    paused_process slow{{"slow", where, checked ? "checked" : "unchecked"}};
    std::cout << "the quick seller sells: " << std::boolalpha << seller{where, "quick"}.sell(true)
              << '\n';
    std::cout << "the slow seller goes on and sells: " << slow.resume() << '\n';
    std::cout << "sold: " << counted.sold() << " of 1\n";
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 4)  // this process was started by paused_process
            return sell_slowly(argv[2], argv[3] == std::string{"checked"}) ? 0 : 1;
        const std::string where = argc > 1 ? argv[1] : "redis://127.0.0.1:6379";
        std::cout << "without the check\n";
        sell_the_last_ticket(where, false);
        std::cout << "with it\n";
        sell_the_last_ticket(where, true);
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 1;
    }
    return 0;
}
