// SPDX-License-Identifier: Apache-2.0
// Tests which requests a confirmation (a transaction that only checks znodes and so extends the lease) may overtake.
#include <gtest/gtest.h>

#include "sql/touched_paths.hpp"

namespace turnstile::sql {
namespace {

using namespace core;

const operation k_confirmation = multi_op{{check_op{"/q/c-0000000007"}}};

TEST(confirmation, only_checks) {
    EXPECT_TRUE(is_confirmation(k_confirmation));
    EXPECT_FALSE(is_confirmation(multi_op{{check_op{"/q"}, set_op{"/q", ""}}}));
    EXPECT_FALSE(is_confirmation(multi_op{}));
    EXPECT_FALSE(is_confirmation(set_op{"/q", ""}));
    EXPECT_FALSE(is_confirmation(exists_op{"/"}));
}

TEST(confirmation, overtakes_what_leaves_the_checked_znode_as_it_is) {
    for (const operation& ahead :
         {operation{get_op{"/q/c-0000000007"}}, operation{remove_op{"/q/c-0000000008"}},
          operation{create_op{"/q/d-", "", create_mode::ephemeral_sequential}},
          operation{children_op{"/q"}}, k_confirmation})
        EXPECT_FALSE(may_change_what_is_checked(ahead, k_confirmation));
}

TEST(confirmation, stays_behind_what_may_change_the_checked_znode) {
    for (const operation& ahead :
         {operation{set_op{"/q/c-0000000007", ""}}, operation{remove_op{"/q/c-0000000007"}},
          operation{create_op{"/q/c-0000000007", ""}},
          operation{create_op{"/q/c-", "", create_mode::ephemeral_sequential}},
          operation{multi_op{{remove_op{"/q/c-0000000007"}, remove_op{"/x"}}}},
          operation{create_op{"/q/c-0000000007/child", ""}}})
        EXPECT_TRUE(may_change_what_is_checked(ahead, k_confirmation));
}

}  // namespace
}  // namespace turnstile::sql
