// SPDX-License-Identifier: Apache-2.0
// Tests names that other implementations create. kazoo's tests/test_lock.py has more of them.
#include "core/queue/contender_name.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.hpp"

namespace turnstile::core {
namespace {

constexpr std::int32_t k_last = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t k_first = std::numeric_limits<std::int32_t>::min();

struct fixture {
    const char* library;
    std::string_view name;
    std::optional<std::int32_t> sequence;
};

// Returns the number in the format of the servers: "%010d" in Java and in C.
std::string suffix(std::int32_t number) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%010d", number);
    return text.data();
}

const std::array k_contenders{
    fixture{"turnstile", "_c_1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0-lock-0000000007", 7},
    fixture{"Curator", "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-lock-0000000000", 0},
    fixture{"Curator, after many", "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-lock-2147483647",
            k_last},
    fixture{"Curator, no protection", "lock-0000000042", 42},
    fixture{"go", "_c_3f2504e04f8941d39a0c0305e82c3301-lock-0000000123", 123},
    fixture{"at the wrap", "_c_3f2504e04f8941d39a0c0305e82c3301-lock--2147483648", k_first},
    fixture{"after it", "_c_3f2504e04f8941d39a0c0305e82c3301-lock--1000000000", -1'000'000'000},
    fixture{"nine digits", "_c_3f2504e04f8941d39a0c0305e82c3301-lock--999999999", -999'999'999},
    fixture{"back at zero", "_c_3f2504e04f8941d39a0c0305e82c3301-lock--000000001", -1},
    fixture{"two markers", "lock-0000000001-lock-0000000002", 2},
};

const std::array k_foreign{
    fixture{"kazoo", "2c5a3f1de1534d5ba2e2f8a3a1f5f6c7__lock__0000000001", {}},
    fixture{"kazoo, read", "2c5a3f1de1534d5ba2e2f8a3a1f5f6c7__rlock__0000000001", {}},
    fixture{"kazoo, wrapped", "2c5a3f1de1534d5ba2e2f8a3a1f5f6c7__lock__-000000001", {}},
    fixture{"zkr_lock", "x-010000a1b2c3d4e5-0000000004", {}},
    fixture{"WriteLock", "x-72057594037927940-0000000004", {}},
    fixture{"Curator, writer", "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-__WRIT__0000000003", {}},
    fixture{"Curator, reader", "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-__READ__0000000003", {}},
    fixture{"Curator, lease", "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-lease-0000000003", {}},
    fixture{"Curator, latch", "_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-latch-0000000003", {}},
    fixture{"kazoo, lease", "2c5a3f1de1534d5ba2e2f8a3a1f5f6c7", {}},
    fixture{"nothing", "", {}},
    fixture{"a folder of Curator's semaphore", "locks", {}},
    fixture{"only a number", "0000000001", {}},
    fixture{"only the marker", "lock-", {}},
    fixture{"nine digits", "lock-000000001", {}},
    fixture{"eleven digits", "lock-00000000001", {}},
    fixture{"minus and eight digits", "lock--00000001", {}},
    fixture{"minus and eleven digits", "lock--00000000001", {}},
    fixture{"minus and ten digits that need nine", "lock--0000000001", {}},
    fixture{"no number is minus zero", "lock--000000000", {}},
    fixture{"beyond 32 bits", "lock-2147483648", {}},
    fixture{"below 32 bits", "lock--2147483649", {}},
    fixture{"two signs", "lock---00000001", {}},
    fixture{"a plus", "lock-+000000001", {}},
    fixture{"a space", "lock- 000000001", {}},
    fixture{"hexadecimal", "lock-00000000ff", {}},
    fixture{"text behind it", "lock-0000000001-old", {}},
    fixture{"a letter behind it", "lock-0000000001x", {}},
    fixture{"capitals", "LOCK-0000000001", {}},
};

TEST(contender_name, takes_part_if_it_is_a_mutex_contenders) {
    for (const auto& sample : k_contenders)
        EXPECT_EQ(contender_sequence(sample.name), sample.sequence)
            << sample.library << ": " << sample.name;
}

// Failure F14: a foreign child must block no contender.
TEST(contender_name, is_foreign_otherwise) {
    for (const auto& sample : k_foreign)
        EXPECT_EQ(contender_sequence(sample.name, contender_family::lock), std::nullopt)
            << sample.library << ": " << sample.name;
}

TEST(contender_name, negative_numbers_have_the_form_of_printf) {
    EXPECT_EQ(suffix(k_first), "-2147483648");
    EXPECT_EQ(suffix(-1'000'000'000), "-1000000000");
    EXPECT_EQ(suffix(-999'999'999), "-999999999");
    EXPECT_EQ(suffix(-1), "-000000001");
}

TEST(contender_name, reads_every_number_that_a_server_writes) {
    base::random chance{1};
    for (int i = 0; i != 10'000; ++i) {
        // Covers numbers of all magnitudes and both signs.
        const auto bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(chance()));
        const auto number = bits >> (chance() % 32);
        EXPECT_EQ(contender_sequence("lock-" + suffix(number)), number);
    }
    for (const auto number : {k_first, k_first + 1, -1, 0, 1, k_last - 1, k_last})
        EXPECT_EQ(contender_sequence("lock-" + suffix(number)), number);
}

TEST(contender_name, is_curators_and_found_by_its_guid) {
    const std::string guid = "1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0";
    const auto name = contender_prefix(guid) + "0000000007";
    EXPECT_EQ(name, "_c_1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0-lock-0000000007");
    EXPECT_TRUE(made_by(name, guid));
    EXPECT_FALSE(made_by(name, "1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f1"));
    EXPECT_FALSE(made_by("x_c_" + guid + "-lock-0000000007", guid));
    EXPECT_FALSE(made_by(guid + "-lock-0000000007", guid));
    EXPECT_FALSE(made_by("_c_1f0e", guid));
    EXPECT_FALSE(made_by("", guid));
}

TEST(contender_name, has_the_size_that_is_counted_for_it) {
    const std::string guid = "1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0";
    for (const claim& wants :
         {claim{claim_kind::lock}, claim{claim_kind::upgradable}, claim{claim_kind::permit},
          claim{claim_kind::permit, 25}, claim{claim_kind::upgrade, 1, 12}}) {
        const auto name = contender_child(guid, wants, 42);
        EXPECT_EQ(name.size(), contender_size(wants)) << name;
        EXPECT_EQ(parse_contender(name), (contender_name{wants, 42})) << name;
    }
}

TEST(contender_name, distance_keeps_the_order_across_a_wrap) {
    EXPECT_LT(sequence_distance(1, 2), 0);
    EXPECT_EQ(sequence_distance(2, 2), 0);
    EXPECT_GT(sequence_distance(3, 2), 0);
    EXPECT_LT(sequence_distance(k_last, k_first), 0);
    EXPECT_GT(sequence_distance(k_first, k_last), 0);
    EXPECT_EQ(sequence_distance(k_first, k_last), 1);
    EXPECT_LT(sequence_distance(-1, 0), 0) << "back at zero after a whole turn";
    EXPECT_EQ(sequence_distance(k_last - 5, k_first + 5), -11);
}

}  // namespace
}  // namespace turnstile::core
