// SPDX-License-Identifier: Apache-2.0
// Tests an acquire at a path at which an earlier contender uses another kind of lock. The option `foreign_kinds`
// decides whether the client logs a warning or refuses the acquire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string writer(std::int32_t number) {
    return contender_child("6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f", {claim_kind::write}, number);
}

class session_foreign_kinds : public test::session_fixture {
protected:
    explicit session_foreign_kinds(foreign_kind_policy policy = foreign_kind_policy::warn)
        : session_fixture{with(policy)} {}
    static session_core_settings with(foreign_kind_policy policy) {
        auto result = settings();
        result.foreign_kinds = policy;
        return result;
    }
    // Acquires a mutex with number 5 beside a writer of the same path with the number `other`.
    void acquire_beside(contender_id id, std::int32_t other) {
        acquire(id);
        answer_create_and_list(5, {writer(other)});
        answer_all_ok();
    }
};

TEST_F(session_foreign_kinds, are_told_to_the_log_once_for_a_path) {
    start_attached();
    acquire_beside(k_ann, 3);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("/q: a shared_mutex came first at this path, and a "
                                                "mutex does not exclude a shared_mutex")));
    leave(k_ann);
    answer_all_ok();
    acquire_beside(k_bob, 3);
    EXPECT_EQ(told<granted>(k_bob), 1U);
    EXPECT_EQ(warnings.size(), 1U);
}

// The other client's acquire comes later and detects this contender, so only the other client warns.
TEST_F(session_foreign_kinds, that_came_later_are_not_told) {
    start_attached();
    acquire_beside(k_ann, 6);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_THAT(warnings, IsEmpty());
}

class session_refuses_foreign_kinds : public session_foreign_kinds {
protected:
    session_refuses_foreign_kinds() : session_foreign_kinds{foreign_kind_policy::refuse} {}
};

TEST_F(session_refuses_foreign_kinds, that_came_first) {
    start_attached();
    acquire_beside(k_ann, 3);
    EXPECT_EQ(why<failed>(k_ann), errc::bad_option);
    EXPECT_EQ(told<granted>(k_ann), 0U);
    EXPECT_EQ(told<gone>(k_ann), 1U) << "its znode stays behind";
    EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(session_refuses_foreign_kinds, but_not_the_one_that_came_later) {
    start_attached();
    acquire_beside(k_ann, 6);
    EXPECT_EQ(told<granted>(k_ann), 1U);
}

class session_ignores_foreign_kinds : public session_foreign_kinds {
protected:
    session_ignores_foreign_kinds() : session_foreign_kinds{foreign_kind_policy::ignore} {}
};

TEST_F(session_ignores_foreign_kinds, as_it_is_told) {
    start_attached();
    acquire_beside(k_ann, 3);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_THAT(warnings, IsEmpty());
}

}  // namespace
}  // namespace turnstile::core
