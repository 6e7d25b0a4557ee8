// SPDX-License-Identifier: Apache-2.0
// Tests which requests share a transaction.
#include <gtest/gtest.h>

#include <string>

#include "sql/request_batch.hpp"

namespace turnstile::sql {
namespace {

using namespace core;

const operation k_create = create_op{"/q/c-", "", create_mode::ephemeral_sequential};
const operation k_list = children_op{"/q"};
const operation k_other_list = children_op{"/other"};
const operation k_watched = get_op{"/q/c-0", watch_mode::watch};

[[nodiscard]] bool go_together(const std::vector<operation>& all,
                               std::size_t most = k_most_together) {
    request_batch batch;
    for (const auto& each : all) {
        if (!batch.takes(each, most)) return false;
        batch.add(each);
    }
    return true;
}

TEST(request_batch, takes_writes_and_the_lists_of_their_folders) {
    EXPECT_TRUE(go_together({k_create, k_list, create_op{"/p", ""}, remove_op{"/r/1"}}));
    EXPECT_TRUE(go_together({create_op{"/p/a", ""}, children_op{"/p"}, k_create, k_list}));
    EXPECT_FALSE(go_together({k_create, k_other_list})) << "its folder is not locked";
    EXPECT_FALSE(go_together({k_create, get_op{"/q/c-0"}}));
}

// A transaction reads a folder's children after its writes. If a batch included a write that the client submitted after
// the request for the children (list), the answer would show that write.
TEST(request_batch, takes_no_write_that_a_list_ahead_of_it_would_show) {
    EXPECT_FALSE(go_together({k_create, k_list, k_create}));
    EXPECT_FALSE(go_together({k_create, k_list, remove_op{"/q/c-0"}}));
    EXPECT_FALSE(go_together({k_create, k_list, set_op{"/q", ""}}));
    EXPECT_TRUE(go_together({k_create, k_create, k_list}));
}

TEST(request_batch, takes_reads_that_all_watch_or_that_all_do_not) {
    EXPECT_TRUE(go_together({k_list, get_op{"/x"}, exists_op{"/y"}, k_other_list}));
    EXPECT_TRUE(go_together({k_watched, exists_op{"/y", watch_mode::watch}}));
    EXPECT_FALSE(go_together({k_watched, k_list}));
    EXPECT_FALSE(go_together({k_list, k_watched}));
    EXPECT_FALSE(go_together({k_list, k_create}));
    EXPECT_FALSE(go_together({k_watched, k_create}));
}

TEST(request_batch, is_bounded_by_parts_and_bytes_and_takes_one_of_any_size) {
    EXPECT_TRUE(go_together({k_create, k_create}, 2));
    EXPECT_FALSE(go_together({k_create, k_create, k_create}, 2));
    const operation three = multi_op{{remove_op{"/a"}, remove_op{"/b"}, remove_op{"/c"}}};
    EXPECT_TRUE(go_together({three}, 1));
    EXPECT_FALSE(go_together({three, k_create}, 3));
    EXPECT_TRUE(go_together({k_create, three}, 4));
    const operation large = set_op{"/q", std::string(k_most_bytes_together, 'x')};
    EXPECT_TRUE(go_together({large}));
    EXPECT_FALSE(go_together({large, k_create}));
    EXPECT_FALSE(go_together({k_create, large}));
}

}  // namespace
}  // namespace turnstile::sql
