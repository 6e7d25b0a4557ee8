// SPDX-License-Identifier: Apache-2.0
// redis_fence: a shop on Redis that cannot sell the same ticket twice, however long a seller stands still.
//
// The tickets and the locks are on one Redis server. A seller reads how many are left under a lock, stands still, and
// sells. What it read may be old by then: its session has ended, another seller had the lock. turnstile::redis::check()
// gives the seller's own script what it needs to ask, in the same step as its write, whether the hold still stands: the
// script runs as a whole, so there is no moment left for the pause to be in (docs/why/redis.md). The same sale without
// that question is shown first.
//
//     redis_fence [redis://host:port]
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <hiredis/hiredis.h>

#include "turnstile/redis.hpp"
#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// All keys of the shop begin with the hash tag of the locks: on a Redis Cluster they are at one node with them.
constexpr const char* k_left_over = "{turnstile}:tickets";
constexpr const char* k_sold = "{turnstile}:sold";

// One seller's connection to the shop's data.
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

    // Sells one of `read` tickets without a look at the lock.
    bool sell_blindly(long long read, const std::string& seller) {
        run({"EVAL", k_sale, "2", k_left_over, k_sold, std::to_string(read - 1), seller});
        return true;
    }
    // The same, if the hold still stands.
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

void sell_the_last_ticket(const std::string& where, bool checked) {
    turnstile::client slow{where};
    turnstile::client quick{where};
    turnstile::mutex slow_lock{slow, "/locks/tickets"};
    turnstile::mutex quick_lock{quick, "/locks/tickets"};
    const std::string address = where.substr(std::string{"redis://"}.size());
    shop slow_shop{address};
    shop quick_shop{address};
    slow_shop.open();

    const auto first = slow_lock.acquire({.timeout = 30s}).value();
    const auto stands = turnstile::redis::check(first).value();
    const auto seen = slow_shop.tickets();
    std::cout << "the slow seller sees " << seen << " ticket and stands still\n";

    slow.close();  // stands in for a pause that is longer than its session

    const auto second = quick_lock.acquire({.timeout = 30s}).value();
    std::cout << "the quick seller sells: " << std::boolalpha
              << quick_shop.sell(turnstile::redis::check(second).value(), quick_shop.tickets(),
                                 "quick")
              << '\n';
    std::cout << "the slow seller goes on and sells: "
              << (checked ? slow_shop.sell(stands, seen, "slow")
                          : slow_shop.sell_blindly(seen, "slow"))
              << '\n';
    std::cout << "sold: " << quick_shop.sold() << " of 1\n";
}

}  // namespace

int main(int argc, char** argv) {
    try {
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
