// SPDX-License-Identifier: Apache-2.0
// Tests many threads that use a semaphore. The permits in use must never exceed the semaphore's number of permits.
#include <random>
#include <thread>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

class semaphore_crowd : public shell_test {};

// ---- many threads at once -------------------------------------------------------------------

// Failure F20: the threads acquire holds with different numbers of permits, and lose sessions. The permits of all valid
// holds must not exceed the semaphore's number of permits.
TEST_F(semaphore_crowd, F20_never_overbooked) {
    constexpr int k_permits = 5;
    constexpr unsigned k_threads = 6;
    std::atomic<int> out{0};
    const auto work = [&](unsigned seed) {
        std::mt19937 dice{seed};
        const auto mine = connect();
        semaphore pool{*mine, "/pool/five", k_permits};
        for (int i = 0; i != 80; ++i) {
            const auto permits = static_cast<std::int32_t>(1 + dice() % 3);
            auto hold = dice() % 4 == 0 ? pool.try_acquire(permits)
                                        : pool.acquire(permits, {.timeout = limit()});
            if (!hold) {
                EXPECT_EQ(hold.error(), errc::busy) << hold.error().message();
                continue;
            }
            EXPECT_LE(out += permits, k_permits);
            out -= permits;
            hold->unlock();
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i != k_threads; ++i) threads.emplace_back(work, i);
    threads.clear();
    const auto servers = connect();
    semaphore pool{*servers, "/pool/five"};
    EXPECT_TRUE(eventually([&] { return pool.available().value() == k_permits; }));
}

// Failure F20 while the semaphore's number of permits changes: the permits in use must never exceed the largest number.
// After the last change they must not exceed the new number.
TEST_F(semaphore_crowd, F20_never_overbooked_while_the_number_changes) {
    constexpr int k_most = 6;
    std::atomic<int> out{0};
    const auto servers = connect();
    semaphore three{*servers, "/pool/s"};
    three.set_limit(k_most).value();
    std::atomic<bool> over{false};
    std::jthread setting{[&] {
        std::mt19937 dice{1};
        while (!over)
            EXPECT_TRUE(three.set_limit(static_cast<std::int32_t>(2 + dice() % (k_most - 1))));
        EXPECT_TRUE(three.set_limit(2));
    }};
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i != 5; ++i)
        threads.emplace_back([&, i] {
            const auto mine = connect();
            semaphore pool{*mine, "/pool/s"};
            for (int k = 0; k != 60; ++k) {
                const auto permits =
                    static_cast<std::int32_t>(1 + (i + static_cast<unsigned>(k)) % 2);
                auto hold = pool.acquire(permits, {.timeout = limit()});
                ASSERT_TRUE(hold) << hold.error().message();
                EXPECT_LE(out += permits, k_most);
                out -= permits;
            }
        });
    threads.clear();
    over = true;
    setting.join();
    EXPECT_TRUE(eventually([&] { return three.available().value() == 2; }));
    const auto both = three.acquire(2).value();
    EXPECT_EQ(three.try_acquire().error(), errc::busy);
}

}  // namespace
}  // namespace turnstile::tests
