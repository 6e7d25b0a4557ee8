// SPDX-License-Identifier: Apache-2.0
// Fixtures for the tests on Redis: servers, clients, and the queue as another client sees it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "turnstile/testing/event.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::tests {

using namespace std::chrono_literals;
using testing::eventually;
using testing::limit;
using testing::redis_server;
using testing::tcp_proxy;

inline constexpr const char* k_durable = "appendonly yes\nappendfsync always\n";

inline client_options with_timeout(std::chrono::milliseconds session_timeout = 10s) {
    client_options options;
    options.session_timeout = session_timeout;
    options.retry_first = 10ms;
    options.retry_longest = 200ms;
    return options;
}

inline std::unique_ptr<client> connect(const std::string& where,
                                       client_options options = with_timeout()) {
    auto result = std::make_unique<client>(where, std::move(options));
    const auto connected = result->wait_connected(limit());
    EXPECT_TRUE(connected) << connected.error().message();
    return result;
}

// Waits until a client with this connect string gets the error `wanted`, with `words` in its message.
inline bool is_refused(const std::string& connect_string, errc wanted,
                       const std::string& words = {}) {
    client refused{connect_string, with_timeout()};
    // In the second half of its wait, the client asks the servers why they refuse it. A slow machine needs more time
    // for that, so each wait is longer than the previous wait.
    std::chrono::milliseconds patience = 100ms;
    return eventually([&] {
        const auto connected = refused.wait_connected(patience);
        patience = std::min(2 * patience, std::chrono::milliseconds{5s});
        return !connected && connected.error() == wanted &&
               connected.error().message().find(words) != std::string::npos;
    });
}

// Returns true if the servers that the tests start have the features of this version of Redis. A Valkey server reports
// the version of Redis whose features it has.
inline bool has_redis_version(int major, int minor = 0) {
    static const auto found = [] {
        constexpr std::string_view k_field = "redis_version:";
        redis_server server;
        server.start();
        const auto info = server.ask("INFO server");
        const auto at = info.find(k_field);
        std::pair<int, int> version;
        char dot = 0;
        if (at != std::string::npos)
            std::istringstream{info.substr(at + k_field.size())} >> version.first >> dot >>
                version.second;
        EXPECT_GT(version.first, 0) << info;
        return version;
    }();
    return found >= std::pair{major, minor};
}

// Returns the words of ACL SETUSER that allow a user only the channels `pattern`. Before Redis 6.2, each user may use
// all channels, and ACL SETUSER accepts no words about channels.
inline std::string only_channels(const std::string& pattern) {
    return has_redis_version(6, 2) ? " resetchannels &" + pattern : std::string{};
}

// Returns the beginning of the error with which a server refuses an unknown command.
inline std::string unknown_command(const std::string& command) {
    return "ERR unknown command " +
           (has_redis_version(7) ? '\'' + command + '\'' : '`' + command + '`');
}

// A fixture that gives each test a different path.
class on_redis_servers : public ::testing::Test {
protected:
    static std::string lock_path() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        return std::string{"/tests/"} + test->name();
    }
    static std::size_t queue_length(client& observer, const std::string& path) {
        const mutex observed{observer, path};
        const auto queue = observed.queue({.timeout = limit()});
        return queue ? queue->size() : 0;
    }
    static bool becomes_size(client& observer, const std::string& path, std::size_t size) {
        return eventually([&] { return queue_length(observer, path) == size; });
    }

    const std::string path = lock_path();
};

class on_redis : public on_redis_servers {
protected:
    explicit on_redis(std::string config = {}) : server{{std::move(config)}} { server.start(); }

    redis_server server;
};

}  // namespace turnstile::tests
