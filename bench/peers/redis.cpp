// SPDX-License-Identifier: Apache-2.0
// Peer "redis": the lock that Redis's manual describes for one server. SET key token NX PX takes the lock, and a script
// releases it: the script deletes the key if the key still has the token. The lock has no queue: a contender tries
// again after a pause, and chance decides which client gets the lock.
//
//     redis HOST:PORT [LEASE]     LEASE in milliseconds, 30,000 by default
//
// Peer "redis-turns": passes a lock on in the order of arrival, with BLPOP and LPUSH, the fewest commands for this
// purpose. This peer has no lease, no token and no owner, and a holder that dies keeps the lock. So the peer is a lower
// bound, and no real lock.
//
//     redis HOST:PORT turns
//
// Peer "redis-incr": counts the calls of a fixed period, as simple rate limiters do. Its command "enter PATH BEGIN END"
// is described in turnstile_kinds.hpp.
//
//     redis HOST:PORT incr
#include <hiredis/hiredis.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "plain_lock.hpp"

namespace {

constexpr const char* k_script =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
    "else return 0 end";
constexpr const char* k_count =
    "local n = redis.call('incr', KEYS[1]) "
    "if n == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end return n";
constexpr const char* k_period_ms = "86400000";
constexpr std::chrono::milliseconds k_pause{1};

struct reply_deleter {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using reply_ptr = std::unique_ptr<redisReply, reply_deleter>;
struct context_deleter {
    void operator()(redisContext* context) const { redisFree(context); }
};

struct address {
    std::string host;
    int port = 0;
    std::string lease_ms;
};

// A connection to Redis, for one command at a time.
class connection {
public:
    explicit connection(const address& where)
        : context_{redisConnect(where.host.c_str(), where.port)} {
        if (!context_ || context_->err != 0)
            throw std::runtime_error{"cannot connect to " + where.host + ":" +
                                     std::to_string(where.port)};
    }

    template <class... T>
    reply_ptr ask(const char* format, T... values) {
        reply_ptr reply{static_cast<redisReply*>(redisCommand(context_.get(), format, values...))};
        if (!reply) throw std::runtime_error{std::string{"redis: "} + context_->errstr};
        if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error{reply->str};
        return reply;
    }
    std::string version() {
        const std::string info = ask("INFO server")->str;
        constexpr std::string_view k_key = "redis_version:";
        const auto begin = info.find(k_key) + k_key.size();
        return info.substr(begin, info.find('\r', begin) - begin);
    }

private:
    std::unique_ptr<redisContext, context_deleter> context_;
};

class redis_lock {
public:
    explicit redis_lock(const address& where) : server_{where}, lease_ms_{where.lease_ms} {
        script_ = server_.ask("SCRIPT LOAD %s", k_script)->str;
        static std::atomic<int> count{0};
        token_ = std::to_string(bench::now_us()) + "-" + std::to_string(::getpid()) + "-" +
                 std::to_string(++count);
    }

    void acquire(const std::string& key) {
        while (server_.ask("SET %s %s NX PX %s", key.c_str(), token_.c_str(), lease_ms_.c_str())
                   ->type != REDIS_REPLY_STATUS)
            std::this_thread::sleep_for(k_pause);
    }
    void release(const std::string& key) {
        if (server_.ask("EVALSHA %s 1 %s %s", script_.c_str(), key.c_str(), token_.c_str())
                ->integer != 1)
            throw std::runtime_error{"the lock was somebody else's"};
    }

private:
    connection server_;
    std::string lease_ms_;
    std::string script_;
    std::string token_;
};

// A list has a single element. The client that takes the element out of the list has the lock, and puts it back at the
// release. Redis serves blocked clients in the order of arrival.
class redis_turns {
public:
    explicit redis_turns(const address& where) : server_{where} {}

    void acquire(const std::string& key) {
        if (server_.ask("SET %s:begun 1 NX", key.c_str())->type == REDIS_REPLY_STATUS) release(key);
        server_.ask("BLPOP %s 0", key.c_str());
    }
    void release(const std::string& key) { server_.ask("LPUSH %s turn", key.c_str()); }

private:
    connection server_;
};

class redis_counter {
public:
    explicit redis_counter(const address& where) : server_{where} {
        script_ = server_.ask("SCRIPT LOAD %s", k_count)->str;
    }

    void enter(const std::string& key) {
        server_.ask("EVALSHA %s 1 %s %s", script_.c_str(), key.c_str(), k_period_ms);
    }

private:
    connection server_;
    std::string script_;
};

bench::commands counter_commands(const address& server) {
    return {{"enter", [server](const bench::arguments& given) {
                 redis_counter counter{server};
                 return bench::count_until(bench::number(given.at(1)), bench::number(given.at(2)),
                                           [&](bench::grant_count& count) {
                                               counter.enter(given.at(0));
                                               count.granted();
                                           })
                     .text();
             }}};
}

// The peer "redis-turns" has no lease, so it lacks the commands for a holder that dies.
bench::commands turns_commands(const address& server) {
    bench::commands all = bench::plain_commands([server] { return redis_turns{server}; });
    std::erase_if(
        all, [](const auto& each) { return each.first != "cycle" && each.first != "contend"; });
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string where = argc == 2 || argc == 3 ? argv[1] : "";
    const auto colon = where.rfind(':');
    if (colon == std::string::npos) {
        std::cerr << "usage: redis HOST:PORT [LEASE | turns | incr]\n";
        return 2;
    }
    const address server{where.substr(0, colon),
                         static_cast<int>(bench::number(where.substr(colon + 1))),
                         argc == 3 ? argv[2] : "30000"};
    const auto version = connection{server}.version();
    if (server.lease_ms == "turns") {
        bench::serve(version, turns_commands(server));
    } else if (server.lease_ms == "incr") {
        bench::serve(version, counter_commands(server));
    } else {
        bench::serve(version, bench::plain_commands([server] { return redis_lock{server}; }));
    }
}
