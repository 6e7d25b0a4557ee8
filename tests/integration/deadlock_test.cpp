// SPDX-License-Identifier: Apache-2.0
// The deadlock detector on a real server: two processes' worth of clients in a cycle, found by a third
// one, and broken by exactly one of them.
#include "turnstile/deadlock_detector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

// Number i takes lock i, and when all have theirs, `second` the next one.
template <class F>
std::vector<std::future<std::optional<errc>>> ring(const std::string& folder, std::size_t size,
                                                   std::barrier<>& all_have_one, F second) {
    std::vector<std::future<std::optional<errc>>> outcomes;
    for (std::size_t i = 0; i != size; ++i)
        outcomes.push_back(std::async(std::launch::async, [=, &all_have_one] {
            const auto own = connect(server().connect_string());
            mutex first{*own, folder + '/' + std::to_string(i)};
            mutex next{*own, folder + '/' + std::to_string((i + 1) % size)};
            const auto hold = first.acquire({.timeout = limit()}).value();
            all_have_one.arrive_and_wait();
            const auto outcome = second(*own, next);
            return outcome ? std::nullopt : std::optional{outcome.error().code()};
        }));
    return outcomes;
}

TEST(deadlock, is_found_by_somebody_else) {
    const auto folder = lock_path();
    const auto observer = connect(server().connect_string());
    const auto detector = deadlock_detector::below(*observer, folder);
    std::barrier all_have_one{3};
    std::stop_source stop;
    auto outcomes = ring(folder, 3, all_have_one, [&](client&, mutex& next) {
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
    for (const std::size_t size : {2U, 3U}) {
        std::barrier all_have_one{static_cast<std::ptrdiff_t>(size)};
        auto outcomes = ring(folder, size, all_have_one, [&](client& own, mutex& next) {
            const auto detector = deadlock_detector::below(own, folder, {.look_after = 20ms});
            return detector.acquire(next, {.timeout = limit()});
        });
        std::size_t granted = 0;
        std::size_t gave_up = 0;
        for (auto& future : outcomes) {
            const auto why = future.get();
            granted += !why;
            gave_up += why == errc::would_deadlock;
        }
        EXPECT_EQ(gave_up, 1U);
        EXPECT_EQ(granted, size - 1);
    }
}

}  // namespace
}  // namespace turnstile::tests
