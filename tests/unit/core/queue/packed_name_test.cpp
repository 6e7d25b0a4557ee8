// SPDX-License-Identifier: Apache-2.0
// A packed name says what it was given, to the letter, whatever that is.
#include "core/queue/packed_name.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core {
namespace {

const std::string k_guid = "1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0";
const std::string k_ours = "_c_" + k_guid + "-lock-0000000007";

std::vector<std::string> names_of_all_kinds() {
    std::vector<std::string> all;
    for (const auto kind :
         {contender_kind::lock, contender_kind::latch, contender_kind::read, contender_kind::write,
          contender_kind::upgradable, contender_kind::permit})
        all.push_back(contender_prefix(k_guid, {kind}) + "0000000042");
    return all;
}

TEST(packed_name, of_nobody_is_empty) {
    EXPECT_TRUE(packed_name{}.empty());
    EXPECT_EQ(packed_name{}.str(), "");
    EXPECT_EQ(packed_name{std::string{}}, packed_name{});
    EXPECT_EQ(packed_name{}.sequence(), std::nullopt);
}

TEST(packed_name, takes_no_more_than_24_bytes) {
    EXPECT_LE(sizeof(packed_name), 24U);
}

TEST(packed_name, says_what_every_kind_of_ours_is_called) {
    for (const auto& name : names_of_all_kinds()) {
        EXPECT_EQ(packed_name{name}.str(), name);
        EXPECT_EQ(packed_name{name}.sequence(), 42);
        EXPECT_FALSE(packed_name{name}.empty());
    }
}

// What would be lost if only the GUID, the kind and the number were kept.
TEST(packed_name, says_what_others_are_called) {
    const std::vector<std::string> others{
        "lock-0000000042",
        "_c_3f2504e04f8941d39a0c0305e82c3301-lock-0000000123",
        "_c_" + k_guid + "-lock-0000000007" + "-foreign",
        "_c_1F0E2D3C-4B5A-4678-8796-A5B4C3D2E1F0-lock-0000000007",
        "_c_1f0e2d3c04b5a-4678-8796-a5b4c3d2e1f0-lock-0000000007",
        "_c_1f0e2d3g-4b5a-4678-8796-a5b4c3d2e1f0-lock-0000000007",
        "_c_" + k_guid + "-my-lock-0000000007",
        contender_prefix(k_guid, {contender_kind::permit, 3}) + "0000000007",
        contender_prefix(k_guid, {contender_kind::upgrade, 1, 12}) + "0000000015",
        "a",
    };
    for (const auto& name : others) {
        EXPECT_EQ(packed_name{name}.str(), name);
        EXPECT_EQ(packed_name{name}.sequence(), contender_sequence(name)) << name;
    }
}

TEST(packed_name, says_every_number_as_servers_write_it) {
    using limits = std::numeric_limits<std::int32_t>;
    for (const auto& number : {"0000000000", "2147483647", "-000000001", "-2147483648"}) {
        const auto name = contender_prefix(k_guid) + number;
        EXPECT_EQ(packed_name{name}.str(), name);
    }
    EXPECT_EQ(packed_name{contender_prefix(k_guid) + "-2147483648"}.sequence(), limits::min());
}

TEST(packed_name, says_every_guid) {
    base::random source{7};
    for (int i = 0; i != 200; ++i) {
        const auto name = contender_prefix(base::make_guid(source)) + "0000000001";
        EXPECT_EQ(packed_name{name}.str(), name);
    }
}

TEST(packed_name, equals_what_says_the_same) {
    for (const auto* other : {"_c_1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f1-lock-0000000007",
                              "_c_1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0-lock-0000000008",
                              "_c_1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0-latch-0000000007", "b", ""})
        EXPECT_NE(packed_name{k_ours}, packed_name{std::string{other}});
    EXPECT_EQ(packed_name{k_ours}, packed_name{k_ours});
    EXPECT_EQ(packed_name{std::string{"b"}}, packed_name{std::string{"b"}});
    EXPECT_NE(packed_name{std::string{"b"}}, packed_name{std::string{"c"}});
}

TEST(packed_name, is_copied_and_moved_whatever_it_is) {
    for (const auto& first : {k_ours, std::string{"b"}, std::string{}}) {
        for (const auto& second : {k_ours, std::string{"c"}, std::string{}}) {
            packed_name name{first};
            packed_name other{second};
            const packed_name copy{name};
            name = other;
            EXPECT_EQ(name.str(), second);
            EXPECT_EQ(copy.str(), first);
            other = packed_name{copy};
            EXPECT_EQ(other.str(), first);
            const packed_name moved{std::move(name)};
            EXPECT_EQ(moved.str(), second);
        }
    }
}

}  // namespace
}  // namespace turnstile::core
