// SPDX-License-Identifier: Apache-2.0
// Peer "redis": the lock that Redis's manual describes for one server: SET key token NX PX, given up by a
// script that deletes the key if it still has the token. It has no queue: a contender asks again after a
// pause, and chance says which client comes first.
#include <hiredis/hiredis.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "protocol.hpp"

namespace {

constexpr const char* k_script =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
    "else return 0 end";
constexpr const char* k_lease_ms = "30000";
constexpr std::chrono::milliseconds k_pause{1};

struct reply_deleter {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using reply_ptr = std::unique_ptr<redisReply, reply_deleter>;

class redis_lock {
public:
    redis_lock(const std::string& host, int port) : context_{redisConnect(host.c_str(), port)} {
        if (context_ == nullptr || context_->err != 0)
            throw std::runtime_error{"cannot connect to " + host + ":" + std::to_string(port)};
        script_ = ask("SCRIPT LOAD %s", k_script)->str;
        token_ = std::to_string(bench::now_us()) + "-" + std::to_string(::getpid());
    }
    ~redis_lock() { redisFree(context_); }
    redis_lock(const redis_lock&) = delete;
    redis_lock& operator=(const redis_lock&) = delete;

    bool try_acquire(const std::string& key) {
        return ask("SET %s %s NX PX %s", key.c_str(), token_.c_str(), k_lease_ms)->type ==
               REDIS_REPLY_STATUS;
    }
    void acquire(const std::string& key) {
        while (!try_acquire(key)) std::this_thread::sleep_for(k_pause);
    }
    void release(const std::string& key) {
        if (ask("EVALSHA %s 1 %s %s", script_.c_str(), key.c_str(), token_.c_str())->integer != 1)
            throw std::runtime_error{"the lock was somebody else's"};
    }
    std::string version() {
        const std::string info = ask("INFO server")->str;
        constexpr std::string_view k_key = "redis_version:";
        const auto begin = info.find(k_key) + k_key.size();
        return info.substr(begin, info.find('\r', begin) - begin);
    }

private:
    template <class... T>
    reply_ptr ask(const char* format, T... values) {
        reply_ptr reply{static_cast<redisReply*>(redisCommand(context_, format, values...))};
        if (!reply) throw std::runtime_error{std::string{"redis: "} + context_->errstr};
        if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error{reply->str};
        return reply;
    }

    redisContext* context_;
    std::string script_;
    std::string token_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::string where = argc == 2 ? argv[1] : "";
    const auto colon = where.rfind(':');
    if (colon == std::string::npos) {
        std::cerr << "usage: redis HOST:PORT\n";
        return 2;
    }
    redis_lock lock{where.substr(0, colon),
                    static_cast<int>(bench::number(where.substr(colon + 1)))};
    bench::serve(lock.version(), {{"cycle",
                                   [&](const bench::arguments& given) {
                                       return bench::timed(bench::number(given.at(1)), [&] {
                                           lock.acquire(given.at(0));
                                           lock.release(given.at(0));
                                       });
                                   }},
                                  {"contend", [&](const bench::arguments& given) {
                                       return bench::count_until(bench::number(given.at(1)),
                                                                 bench::number(given.at(2)),
                                                                 [&](bench::grant_count& count) {
                                                                     lock.acquire(given.at(0));
                                                                     count.granted();
                                                                     lock.release(given.at(0));
                                                                 })
                                           .text();
                                   }}});
}
