// SPDX-License-Identifier: Apache-2.0
// Runs the fuzzer's check (tests/fuzz) on random bytes from a seed.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "fuzz/queue_rule_check.hpp"

namespace turnstile {
namespace {

constexpr int k_seeds = 300;
constexpr std::size_t k_longest = 60;

std::vector<std::uint8_t> bytes_of(std::uint64_t seed) {
    base::random chance{seed};
    std::vector<std::uint8_t> bytes(chance() % k_longest);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(chance());
    return bytes;
}

TEST(queue_rule_property, holds_for_random_bytes) {
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        const auto bytes = bytes_of(seed);
        ASSERT_EQ(fuzz::check_queue_rule(bytes.data(), bytes.size()), "") << "seed " << seed;
    }
}

TEST(queue_rule_property, holds_for_histories_that_pass_the_counters_end) {
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        auto bytes = bytes_of(seed);
        const std::vector<std::uint8_t> start{
            1,    static_cast<std::uint8_t>(seed),  // lets the counter stop or wrap
            0x7f, 0xff,
            0xff, static_cast<std::uint8_t>(seed)};
        bytes.insert(bytes.begin(), start.begin(), start.end());
        ASSERT_EQ(fuzz::check_queue_rule(bytes.data(), bytes.size()), "") << "seed " << seed;
    }
}

// Checks that the random histories contain the hard cases: equal sequence numbers, negative sequence numbers, and lists
// for which queue_index gives an answer.
TEST(queue_rule_property, meets_ties_and_wraps) {
    int with_ties = 0;
    int with_negative_numbers = 0;
    int indexed = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        auto bytes = bytes_of(seed);
        const std::vector<std::uint8_t> start{static_cast<std::uint8_t>(seed), 0x7f, 0xff, 0xff,
                                              0xff};
        bytes.insert(bytes.begin(), start.begin(), start.end());
        fuzz::byte_source in{bytes.data(), bytes.size()};
        const auto result = fuzz::make_history(in);
        if (result.contenders.size() < 2) continue;
        with_ties += core::decide(result.children, result.contenders.back()).ties ? 1 : 0;
        const core::queue_index prepared{result.children, core::contender_family::lock};
        indexed += prepared.decide(result.contenders.back()) ? 1 : 0;
        with_negative_numbers += *core::contender_sequence(result.contenders.back()) < 0 ? 1 : 0;
    }
    EXPECT_GT(with_ties, 10);
    EXPECT_GT(indexed, 10);
    EXPECT_GT(with_negative_numbers, 10);
}

}  // namespace
}  // namespace turnstile
