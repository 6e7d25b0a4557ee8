// SPDX-License-Identifier: Apache-2.0
#include "core/session/contender_table.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace turnstile::core {
namespace contender_table_tests {

constexpr contender_id k_ann{1};
constexpr contender_id k_bob{2};

contender_entry waiter(const std::string& folder) {
    contender_settings settings;
    settings.folder = folder;
    return {contender_core{settings}};
}

TEST(contender_table, counts_the_bytes_of_the_znodes_that_its_contenders_may_have) {
    contender_table table{64};
    table.add(k_ann, waiter("/q"));
    const auto bytes = table.owned_bytes();
    EXPECT_EQ(bytes, contender_bytes("/q", claim{}));
    table.add(k_bob, waiter("/q"));
    EXPECT_EQ(table.owned_bytes(), 2 * bytes);
    EXPECT_FALSE(table.update(k_bob, table.at(k_bob), claim_kind::lock, 1));
    EXPECT_EQ(table.owned_bytes(), 2 * bytes) << "nothing has changed";
}

TEST(contender_table, a_contender_without_a_znode_needs_nothing) {
    contender_table table{64};
    table.add(k_ann, waiter("/q"));
    EXPECT_FALSE(table.update(k_ann, table.at(k_ann), claim_kind::lock, 1));
    EXPECT_TRUE(table.confirming().empty());
    EXPECT_TRUE(table.holding().empty());
    EXPECT_EQ(table.next_to_confirm({}), std::nullopt);
}

TEST(contender_table, forgets_what_is_erased) {
    contender_table table{64};
    table.add(k_ann, waiter("/q"));
    table.erase(k_ann);
    EXPECT_EQ(table.find(k_ann), nullptr);
    EXPECT_TRUE(table.empty());
}

}  // namespace contender_table_tests
}  // namespace turnstile::core
