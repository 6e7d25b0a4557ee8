// SPDX-License-Identifier: Apache-2.0
// Tests the deadlock detector on a real server. Clients in two processes wait in a cycle, a third client finds it, and
// one wait gives up.
#include "turnstile/deadlock_detector.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <memory>
#include <string>

#include "support.hpp"
#include "wait_ring.hpp"

namespace turnstile::tests {
namespace {

std::unique_ptr<client> connect_to_server() {
    return connect(server().connect_string());
}

TEST(deadlock, is_found_by_somebody_else) {
    const auto folder = lock_path();
    const auto observer = connect(server().connect_string());
    const auto detector = deadlock_detector::below(*observer, folder);
    std::barrier all_have_one{3};
    std::stop_source stop;
    auto outcomes =
        wait_ring(folder, 3, all_have_one, connect_to_server, [&](const client&, mutex& next) {
            return next.acquire({.timeout = limit(), .stop = stop.get_token()});
        });
    EXPECT_TRUE(eventually([&] { return detector.find().value().size() == 1; }));
    const auto found = detector.find().value();
    ASSERT_EQ(found.size(), 1U);
    const auto& members = found.front().members;
    ASSERT_EQ(members.size(), 3U);
    for (std::size_t i = 0; i != members.size(); ++i) {
        EXPECT_EQ(members[i].awaits, members[(i + 1) % 3].holds);
        EXPECT_LE(members[i].waiting.token, members.front().waiting.token);
    }
    stop.request_stop();
    for (auto& future : outcomes) EXPECT_EQ(future.get(), errc::cancelled);
    EXPECT_TRUE(detector.find().value().empty());
}

TEST(deadlock, is_broken_by_its_newest_wait) {
    const auto folder = lock_path();
    for (const std::size_t size : {2U, 3U})
        expect_one_gives_up(folder + '/' + std::to_string(size), size, connect_to_server);
}

}  // namespace
}  // namespace turnstile::tests
