// SPDX-License-Identifier: Apache-2.0
#include "base/random.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <set>

namespace turnstile::base {
namespace {

TEST(random, follows_the_reference_implementation) {
    // The authors' C code (splitmix64.c and xoshiro256starstar.c) gives these values for the seed 0.
    random source{0};
    EXPECT_EQ(source(), 0x99ec5f36cb75f2b4U);
    EXPECT_EQ(source(), 0xbf6e1f784956452aU);
    EXPECT_EQ(source(), 0x1a5f849d4933e6e0U);
}

TEST(random, is_a_value) {
    random first{7};
    random other = first;
    EXPECT_EQ(first, other);
    EXPECT_EQ(first(), other());
    static_cast<void>(first());
    EXPECT_NE(first, other);
    EXPECT_NE(random{7}, random{8});
}

TEST(random, uniform01_stays_within_its_bounds_and_fills_them) {
    random source{1};
    double least = 1;
    double most = 0;
    double sum = 0;
    constexpr int k_draws = 10'000;
    for (int i = 0; i < k_draws; ++i) {
        const double x = source.uniform01();
        ASSERT_GE(x, 0.0);
        ASSERT_LT(x, 1.0);
        least = std::min(least, x);
        most = std::max(most, x);
        sum += x;
    }
    EXPECT_LT(least, 0.01);
    EXPECT_GT(most, 0.99);
    EXPECT_NEAR(sum / k_draws, 0.5, 0.02);
}

// Two virtual machines that start from one snapshot have the same memory. Their GUIDs must still differ, because GUIDs
// name contenders.
TEST(random, copies_of_the_system_s_draw_guids_of_their_own) {
    random source = random::from_system();
    random copy = source;
    EXPECT_NE(make_guid(source), make_guid(copy));
    EXPECT_EQ(source(), copy()) << "numbers that name nothing are drawn without the kernel";
}

TEST(random, copies_of_a_seed_s_draw_the_same_guids) {
    random source{5};
    random copy = source;
    EXPECT_EQ(make_guid(source), make_guid(copy));
}

// Recorded simulations depend on the GUIDs of each seed. Boost's generator makes the same first GUID from this seed.
TEST(random, guids_of_a_seed_stay_the_same) {
    random source{0};
    EXPECT_EQ(make_guid(source), "b4f275cb-365f-4c99-aa45-5649781f6ebf");
}

TEST(random, guids_are_lower_case_version_4_uuids) {
    random seeded{3};
    random of_system = random::from_system();
    for (int i = 0; i < 100; ++i) {
        const auto guid = make_guid(i % 2 == 0 ? seeded : of_system);
        ASSERT_EQ(guid.size(), 36U);
        EXPECT_EQ(guid.find_first_not_of("0123456789abcdef-"), std::string::npos) << guid;
        EXPECT_EQ(guid[8], '-');
        EXPECT_EQ(guid[13], '-');
        EXPECT_EQ(guid[14], '4');
        EXPECT_EQ(guid[18], '-');
        EXPECT_NE(std::string{"89ab"}.find(guid[19]), std::string::npos);
        EXPECT_EQ(guid[23], '-');
    }
}

TEST(random, the_systems_seed_needs_no_descriptor) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    EXPECT_NO_THROW({
        random first = random::from_system();
        random other = random::from_system();
        EXPECT_NE(first(), other());
    });
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(random, guids_repeat_with_the_seed_and_differ_without) {
    random first{5};
    random other{5};
    EXPECT_EQ(make_guid(first), make_guid(other));
    std::set<std::string> seen;
    for (int i = 0; i < 20; ++i) {
        random source = random::from_system();
        seen.insert(make_guid(source));
        seen.insert(make_guid(source));
    }
    EXPECT_EQ(seen.size(), 40U);
}

}  // namespace
}  // namespace turnstile::base
