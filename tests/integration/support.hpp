// SPDX-License-Identifier: Apache-2.0
// Fixture for the integration tests: a client behind a proxy, a real server, and direct access to that server.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/session_fault.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::tests {

using namespace std::chrono_literals;
using testing::direction;
using testing::ensemble;
using testing::eventually;
using testing::limit;
using testing::tcp_proxy;
using testing::verdict;
namespace opcode = testing::opcode;
using testing::frame;
using testing::frame_kind;

inline client_options quick_options(std::chrono::milliseconds session_timeout = 4s) {
    client_options options;
    options.session_timeout = session_timeout;
    options.lease.tick = 200ms;
    options.lease.sync_limit = 10;
    options.retry_first = 10ms;
    options.retry_longest = 200ms;
    return options;
}

// Returns a connected client. Fails the test if it cannot connect.
inline std::unique_ptr<client> connect(const std::string& where,
                                       client_options options = quick_options()) {
    auto result = std::make_unique<client>(where, std::move(options));
    const auto connected = result->wait_connected(limit());
    EXPECT_TRUE(connected) << connected.error().message();
    return result;
}

// Returns the server that the test program shares. The first call starts it.
inline ensemble& server() {
    static ensemble shared;
    static const bool ready = (shared.wait_until_serving(), true);
    EXPECT_TRUE(ready);
    return shared;
}

// Returns a path for the current test.
inline std::string lock_path() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return std::string{"/tests/"} + test->test_suite_name() + "." + test->name();
}

// Returns the contenders' names, as another client reads them.
inline std::vector<std::string> queue_names(client& observer, const std::string& path) {
    const mutex observed{observer, path};
    const auto queue = observed.queue({.timeout = limit()});
    EXPECT_TRUE(queue) << queue.error().message();
    std::vector<std::string> names;
    if (queue)
        for (const auto& contender : *queue) names.push_back(contender.name);
    return names;
}

inline bool becomes_empty(client& observer, const std::string& path) {
    return eventually([&] { return queue_names(observer, path).empty(); });
}

inline bool becomes_size(client& observer, const std::string& path, std::size_t size) {
    return eventually([&] { return queue_names(observer, path).size() == size; });
}

}  // namespace turnstile::tests
