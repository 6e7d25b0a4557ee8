// SPDX-License-Identifier: Apache-2.0
// Tests which requests each part of a commit needs, depending on which znodes exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/contender/commit_queue.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using steps = std::vector<multi_part>;

steps steps_of(std::vector<write_part> parts, const std::set<std::string>& there) {
    commit_plan plan{std::move(parts)};
    plan.draw(there);
    return plan.steps();
}

TEST(commit_plan, parts_that_say_what_is_to_be_done_ask_nothing) {
    const commit_plan plan{{set_op{"/a", "1"}, check_op{"/b", 3}, remove_op{"/c"}}};
    EXPECT_THAT(plan.questions(), IsEmpty());
    EXPECT_TRUE(plan.is_drawn());
    EXPECT_EQ(plan.steps(), (steps{set_op{"/a", "1"}, check_op{"/b", 3}, remove_op{"/c"}}));
    EXPECT_EQ(plan.part_of(2), 2U);
}

TEST(commit_plan, put_sets_what_is_there_and_creates_what_is_not) {
    const std::vector<write_part> parts{put_op{"/a", "1"}, put_op{"/b", "2"}};
    EXPECT_THAT(commit_plan{parts}.questions(), ElementsAre("/a", "/b"));
    EXPECT_FALSE(commit_plan{parts}.is_drawn());
    EXPECT_EQ(steps_of(parts, {"/b"}), (steps{create_op{"/a", "1"}, set_op{"/b", "2"}}));
}

TEST(commit_plan, make_creates_what_is_missing_from_above) {
    EXPECT_THAT(commit_plan{{make_op{"/a/b/c"}}}.questions(), ElementsAre("/a", "/a/b", "/a/b/c"));
    EXPECT_EQ(steps_of({make_op{"/a/b/c"}}, {"/a"}),
              (steps{create_op{"/a/b", ""}, create_op{"/a/b/c", ""}}));
    EXPECT_EQ(steps_of({make_op{"/a/b/c"}}, {"/a", "/a/b", "/a/b/c"}), (steps{check_op{"/a/b/c"}}))
        << "it may be gone when the commit comes";
}

TEST(commit_plan, each_part_sees_what_those_before_it_did) {
    EXPECT_EQ(steps_of({put_op{"/a", "1"}, put_op{"/a", "2"}}, {}),
              (steps{create_op{"/a", "1"}, set_op{"/a", "2"}}));
    EXPECT_EQ(steps_of({remove_op{"/a"}, put_op{"/a", "1"}}, {"/a"}),
              (steps{remove_op{"/a"}, create_op{"/a", "1"}}));
    EXPECT_EQ(steps_of({create_op{"/a", "1"}, put_op{"/a", "2"}}, {}),
              (steps{create_op{"/a", "1"}, set_op{"/a", "2"}}));
    EXPECT_EQ(steps_of({make_op{"/a/b"}, make_op{"/a/c"}, put_op{"/a/c", "1"}}, {}),
              (steps{create_op{"/a", ""}, create_op{"/a/b", ""}, create_op{"/a/c", ""},
                     set_op{"/a/c", "1"}}));
}

TEST(commit_plan, the_path_that_a_sequential_create_is_asked_for_is_not_there) {
    const create_op numbered{"/n-", "", create_mode::persistent_sequential};
    EXPECT_EQ(steps_of({numbered, make_op{"/n-"}, put_op{"/n-", "1"}}, {}),
              (steps{numbered, create_op{"/n-", ""}, set_op{"/n-", "1"}}));
}

TEST(commit_plan, answers_are_told_for_the_callers_parts) {
    commit_plan plan{{make_op{"/a/b"}, check_op{"/c"}, put_op{"/d", "1"}, make_op{"/a"}}};
    plan.draw({"/d"});
    EXPECT_EQ(plan.for_parts(std::vector<std::string>{"/a", "/a/b", "", ""}, std::string{}),
              (std::vector<std::string>{"/a/b", "", "", ""}));
    EXPECT_EQ(plan.for_parts(std::vector<std::int32_t>{0, 0, -1, 5}, -1),
              (std::vector<std::int32_t>{0, -1, 5, -1}));
    EXPECT_EQ(plan.for_parts(std::vector<std::int32_t>{}, -1),
              (std::vector<std::int32_t>{-1, -1, -1, -1}));
    EXPECT_EQ(plan.part_of(1), 0U);
    EXPECT_EQ(plan.part_of(3), 2U);
}

TEST(commit_plan, only_what_reading_again_may_change_is_outdated) {
    commit_plan plan{{put_op{"/new", ""}, put_op{"/old", ""}, make_op{"/made"}, create_op{"/a", ""},
                      set_op{"/b", ""}, make_op{"/old"}, check_op{"/c"}}};
    plan.draw({"/old"});
    const auto outdated = [&](std::size_t step) {
        std::vector<server_error> all;
        for (const auto why : {server_error::node_exists, server_error::no_node,
                               server_error::bad_version, server_error::no_auth})
            if (plan.is_outdated_by(step, why)) all.push_back(why);
        return all;
    };
    EXPECT_THAT(outdated(0), ElementsAre(server_error::node_exists));
    EXPECT_THAT(outdated(1), ElementsAre(server_error::no_node));
    EXPECT_THAT(outdated(2), ElementsAre(server_error::node_exists, server_error::no_node));
    EXPECT_THAT(outdated(3), IsEmpty());
    EXPECT_THAT(outdated(4), IsEmpty());
    EXPECT_THAT(outdated(5), ElementsAre(server_error::no_node, server_error::no_auth));
    EXPECT_THAT(outdated(6), IsEmpty());
    plan.discard(5, server_error::no_node);
    EXPECT_FALSE(plan.is_drawn());
}

TEST(commit_plan, a_znode_that_may_not_be_read_is_not_checked_again) {
    commit_plan plan{{make_op{"/theirs"}, make_op{"/ours"}}};
    plan.draw({"/theirs", "/ours"});
    plan.discard(0, server_error::no_auth);
    plan.draw({"/theirs", "/ours"});
    EXPECT_EQ(plan.steps(), (steps{check_op{"/ours"}}));
    EXPECT_EQ(plan.part_of(0), 1U);
}

}  // namespace
}  // namespace turnstile::core
