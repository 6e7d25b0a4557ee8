// SPDX-License-Identifier: Apache-2.0
// Implements checked_store by a list in Redis. A script checks the hold and appends to the list.
#include <hiredis/hiredis.h>

#include <array>

#include "checked_store.hpp"
#include "turnstile/redis.hpp"

namespace campaign {
namespace {

constexpr const char* k_entries = "{turnstile}:campaign-entries";

class redis_store final : public checked_store {
public:
    explicit redis_store(const std::string& servers) {
        const auto address = servers.substr(servers.find("//") + 2);
        const auto colon = address.find(':');
        host_ = address.substr(0, colon);
        port_ = std::stoi(address.substr(colon + 1));
    }

    written append(const turnstile::guard& hold, const std::string& data,
                   const std::function<void()>& dawdle) override {
        const auto check = turnstile::redis::check(hold);
        if (!check) return written::refused;
        if (!connected()) return written::refused;
        dawdle();  // the check's arguments exist; the script decides later
        static const std::string k_script =
            std::string{turnstile::redis::stands_function()} +
            "if not turnstile_stands(KEYS[1], ARGV[1]) then return 0 end "
            "redis.call('RPUSH', KEYS[2], ARGV[2]) return 1";
        const std::array<const char*, 7> words{
            "EVAL",    k_script.c_str(),     "2",         check->key.c_str(),
            k_entries, check->znode.c_str(), data.c_str()};
        const std::unique_ptr<redisReply, decltype(&::freeReplyObject)> reply{
            static_cast<redisReply*>(
                ::redisCommandArgv(connection_.get(), static_cast<int>(words.size()),
                                   const_cast<const char**>(words.data()), nullptr)),
            &::freeReplyObject};
        if (!reply) {
            connection_.reset();
            return written::unknown;
        }
        return reply->type == REDIS_REPLY_INTEGER && reply->integer == 1 ? written::ok
                                                                         : written::refused;
    }

private:
    bool connected() {
        if (!connection_) connection_.reset(::redisConnect(host_.c_str(), port_));
        if (connection_ && connection_->err != 0) connection_.reset();
        return connection_ != nullptr;
    }

    std::string host_;
    int port_ = 0;
    std::unique_ptr<redisContext, decltype(&::redisFree)> connection_{nullptr, &::redisFree};
};

}  // namespace

std::unique_ptr<checked_store> open_redis_store(const std::string& servers) {
    return std::make_unique<redis_store>(servers);
}

}  // namespace campaign
