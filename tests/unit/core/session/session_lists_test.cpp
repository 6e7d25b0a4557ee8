// SPDX-License-Identifier: Apache-2.0
// Tests that several contenders of a session share one request for their folder's children.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;

class session_lists : public test::session_fixture {
protected:
    std::string created(std::int32_t sequence) {
        auto path = op<create_op>().path + fmt::format("{:010d}", sequence);
        auto reply = reply_to<create_op>();
        reply.path = path;
        reply.stat.ephemeral_owner = session_id;
        reply.stat.czxid = 100 + sequence;
        on_event(std::move(reply));
        return name_of(path);
    }
    void listed(const names& children) {
        auto answer = reply_to<children_op>();
        answer.children = children;
        on_event(std::move(answer));
    }
    [[nodiscard]] std::optional<std::size_t> ahead(contender_id id) const {
        std::optional<std::size_t> known;
        for (const auto& notice : notices)
            if (const auto* place = std::get_if<position_known>(&notice.event);
                place && notice.id == id)
                known = place->ahead;
        return known;
    }
};

TEST_F(session_lists, one_is_under_way_and_those_who_come_meanwhile_share_the_next) {
    start_attached();
    for (const auto id : {k_ann, k_bob, k_eve}) acquire(id);
    EXPECT_EQ(count<create_op>(), 3U);
    EXPECT_EQ(count<children_op>(), 1U) << "right behind the first create";
    const auto ann = created(1);
    const auto bob = created(2);
    const auto eve = created(3);
    listed({ann});
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_EQ(told<granted>(k_bob) + told<granted>(k_eve), 0U)
        << "a list that was sent before their creates says nothing of them";
    ASSERT_EQ(count<children_op>(), 1U);
    listed({eve, ann, bob, stranger(0)});
    EXPECT_EQ(ahead(k_bob), 2U);
    EXPECT_EQ(ahead(k_eve), 3U);
    EXPECT_EQ(count<children_op>(), 0U);
}

TEST_F(session_lists, a_lost_one_is_lost_for_all_who_wait) {
    start_attached();
    for (const auto id : {k_ann, k_bob, k_eve}) acquire(id);
    const auto ann = created(1);
    const auto bob = created(2);
    const auto eve = created(3);
    detach();
    attach();
    ASSERT_EQ(count<children_op>(), 1U);
    listed({ann, bob, eve});
    ASSERT_EQ(count<children_op>(), 1U) << "for those who asked while it was under way";
    listed({ann, bob, eve});
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_EQ(ahead(k_bob), 1U);
    EXPECT_EQ(ahead(k_eve), 2U);
}

TEST_F(session_lists, those_of_an_ended_session_are_asked_for_by_the_next) {
    start_attached();
    for (const auto id : {k_ann, k_bob}) acquire(id);
    expire();
    pass(10s);
    attach();
    const auto ann = created(1);
    const auto bob = created(2);
    listed({ann});
    listed({ann, bob});
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_EQ(ahead(k_bob), 1U);
}

TEST_F(session_lists, folders_have_their_own) {
    start_attached();
    acquire(k_ann);
    core::acquire other;
    other.id = k_bob;
    other.settings.folder = "/other";
    on(other);
    EXPECT_EQ(count<children_op>(), 2U);
}

}  // namespace
}  // namespace turnstile::core
