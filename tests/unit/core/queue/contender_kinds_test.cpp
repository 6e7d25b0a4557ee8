// SPDX-License-Identifier: Apache-2.0
// Tests the kind and permits in a contender's name: writing and reading each kind, and reading other libraries' names.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "core/queue/contender_name.hpp"

namespace turnstile::core {
namespace contender_kinds_tests {

constexpr std::int32_t k_last = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view k_guid = "1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0";

std::string begin() {
    return "_c_" + std::string{k_guid} + '-';
}

struct kind_case {
    claim wants;
    const char* marker;
};

const std::array k_kinds{
    kind_case{{claim_kind::lock}, "lock-"},
    kind_case{{claim_kind::latch}, "latch-"},
    kind_case{{claim_kind::read}, "__READ__"},
    kind_case{{claim_kind::write}, "__WRIT__"},
    kind_case{{claim_kind::upgradable}, "__UPGR__-__READ__"},
    kind_case{{claim_kind::upgrade, 1, 7}, "__UPGR__0000000007-__WRIT__"},
    kind_case{{claim_kind::upgrade, 1, k_last}, "__UPGR__2147483647-__WRIT__"},
    kind_case{{claim_kind::upgrade, 1, -1}, "__UPGR__-000000001-__WRIT__"},
    kind_case{{claim_kind::upgrade, 1, -k_last - 1}, "__UPGR__-2147483648-__WRIT__"},
    kind_case{{claim_kind::permit}, "lease-"},
    kind_case{{claim_kind::permit, 2}, "lease2-"},
    kind_case{{claim_kind::permit, k_last}, "lease2147483647-"},
};

TEST(contender_kinds, every_kind_is_written_and_read_back) {
    for (const auto& [wants, marker] : k_kinds) {
        EXPECT_EQ(contender_prefix(k_guid, wants), begin() + marker);
        for (const auto* number : {"0000000003", "2147483647", "-000000001", "-2147483648"}) {
            const auto name = begin() + marker + number;
            const auto parsed = parse_contender(name);
            ASSERT_TRUE(parsed) << name;
            EXPECT_EQ(parsed->wants, wants) << name;
            EXPECT_EQ(parsed->sequence, std::stol(number)) << name;
            EXPECT_EQ(contender_guid(name), k_guid) << name;
            EXPECT_TRUE(made_by(name, k_guid)) << name;
        }
    }
}

TEST(contender_kinds, families_are_foreign_to_each_other) {
    for (const auto& kind : k_kinds) {
        const auto name = contender_prefix(k_guid, kind.wants) + "0000000005";
        for (const auto of : {contender_family::lock, contender_family::latch,
                              contender_family::read_write, contender_family::semaphore})
            EXPECT_EQ(contender_sequence(name, of).has_value(), family(kind.wants.kind) == of);
    }
}

TEST(contender_kinds, curators_readers_and_writers_are_known) {
    const auto kind = [](const std::string& name) { return parse_contender(name).value().wants; };
    EXPECT_EQ(kind("_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-__READ__0000000001"),
              claim{claim_kind::read});
    EXPECT_EQ(kind("_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-__WRIT__0000000001"),
              claim{claim_kind::write});
    EXPECT_EQ(kind("__WRIT__0000000001"), claim{claim_kind::write}) << "no protection";
    EXPECT_EQ(kind("_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-lease-0000000001"),
              claim{claim_kind::permit});
    EXPECT_EQ(kind("_c_6a8b1f5e-b0d3-4b1f-9c36-d3b0e4a4f0d7-latch-0000000001"),
              claim{claim_kind::latch});
}

TEST(contender_kinds, what_is_no_name_of_ours_is_foreign) {
    for (const auto* name :
         {"2c5a3f1de1534d5ba2e2f8a3a1f5f6c7__lock__0000000001",
          "2c5a3f1de1534d5ba2e2f8a3a1f5f6c7__rlock__0000000001", "lease0000000001",
          "lease1-0000000001", "lease0-0000000001", "lease02-0000000001", "lease-2-0000000001",
          "lease2147483648-0000000001", "release3x-0000000001", "__READ__", "__READ__000000001",
          "__READ__00000000001", "__read__0000000001", "READ0000000001", "__WRIT__-000000000",
          "__UPGR__0000000001", "leases"})
        EXPECT_FALSE(parse_contender(name)) << name;
}

// If the part of a name that marks an upgrade is malformed, this library ignores that part, as Curator does.
TEST(contender_kinds, an_upgrade_names_a_number_as_servers_write_it) {
    for (const auto* name :
         {"__UPGR__7-__WRIT__0000000009", "__UPGR__-__WRIT__0000000009",
          "UPGR0000000007-__WRIT__0000000009", "__UPGR__00000000007-__WRIT__0000000009"})
        EXPECT_EQ(parse_contender(name).value().wants, claim{claim_kind::write}) << name;
    EXPECT_EQ(parse_contender("UPGR-__READ__0000000009").value().wants, claim{claim_kind::read});
}

TEST(contender_kinds, an_upgrade_in_its_other_place_has_its_numbers_exchanged) {
    const auto waiting = begin() + "__UPGR__0000000003-__WRIT__0000000009";
    const auto arrived = begin() + "__UPGR__0000000009-__WRIT__0000000003";
    EXPECT_EQ(upgrade_in_other_place(waiting), arrived);
    EXPECT_EQ(upgrade_in_other_place(arrived), waiting);
    for (const auto& [name, at_base] : {std::pair{waiting, false}, {arrived, true}}) {
        const auto numbers = numbers_of(parse_contender(name).value());
        EXPECT_EQ(numbers.came_with, 9) << name;
        EXPECT_EQ(numbers.base, 3) << name;
        EXPECT_EQ(numbers.at_base, at_base) << name;
    }
}

TEST(contender_kinds, a_new_name_keeps_the_guid_and_the_number) {
    for (const auto* number : {"0000000003", "2147483647", "-000000001", "-2147483648"}) {
        const auto from = begin() + "__WRIT__" + number;
        EXPECT_EQ(renamed_contender(from, claim_kind::read), begin() + "__READ__" + number);
        const auto upgradable = renamed_contender(from, claim_kind::upgradable);
        EXPECT_EQ(upgradable, begin() + "__UPGR__-__READ__" + number);
        EXPECT_EQ(renamed_contender(upgradable, claim_kind::read), begin() + "__READ__" + number);
    }
}

}  // namespace contender_kinds_tests
}  // namespace turnstile::core
