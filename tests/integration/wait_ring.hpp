// SPDX-License-Identifier: Apache-2.0
// Clients that wait in a ring: client i holds lock i and requests the next lock.
#pragma once

#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "turnstile/deadlock_detector.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::tests {

// Makes each client by `connect`. When every client holds its own lock, each client requests the next lock by `second`.
// Returns the results of `second`.
template <class Connect, class Second>
std::vector<std::future<std::optional<errc>>> wait_ring(const std::string& folder, std::size_t size,
                                                        std::barrier<>& all_have_one,
                                                        Connect connect, Second second) {
    std::vector<std::future<std::optional<errc>>> outcomes;
    for (std::size_t i = 0; i != size; ++i)
        outcomes.push_back(std::async(std::launch::async, [=, &all_have_one] {
            const auto own = connect();
            mutex first{*own, folder + '/' + std::to_string(i)};
            mutex next{*own, folder + '/' + std::to_string((i + 1) % size)};
            const auto hold = first.acquire({.timeout = testing::limit()}).value();
            all_have_one.arrive_and_wait();
            const auto outcome = second(*own, next);
            return outcome ? std::nullopt : std::optional{outcome.error().code()};
        }));
    return outcomes;
}

// Each client searches for deadlocks. Checks that a single client gives up and the others are granted.
template <class Connect>
void expect_one_gives_up(const std::string& folder, std::size_t size, Connect connect) {
    std::barrier all_have_one{static_cast<std::ptrdiff_t>(size)};
    auto outcomes =
        wait_ring(folder, size, all_have_one, connect, [&](const client& own, mutex& next) {
            const auto detector = deadlock_detector::below(
                own, folder, {.look_after = std::chrono::milliseconds{20}});
            return detector.acquire(next, {.timeout = testing::limit()});
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

}  // namespace turnstile::tests
