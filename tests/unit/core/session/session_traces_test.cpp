// SPDX-License-Identifier: Apache-2.0
// Tests that a session leaves nothing behind: after all calls it counts as many watches, znodes and bytes as before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using how = close_session::how;

class session_traces : public test::session_fixture {
protected:
    const std::string ahead_ = "/q/" + stranger(4);

    std::string queue_behind(contender_id id, std::int32_t sequence) {
        acquire(id);
        auto znode = answer_create_and_list(sequence, {stranger(3), stranger(4)});
        answer_all_ok();
        return znode;
    }
};

// ---- watches that no contender needs any more (failures F13 and F33) ------------------------

TEST_F(session_traces, of_a_watch_end_with_its_last_interest) {
    start_attached();
    queue_behind(k_ann, 5);
    queue_behind(k_bob, 6);  // number 5 is gone, so the predecessor is the same
    EXPECT_EQ(session.watched_paths(), 1U);
    leave(k_ann);
    answer_all_ok();
    EXPECT_THAT(forgotten, IsEmpty());
    leave(k_bob);
    EXPECT_THAT(forgotten, ElementsAre(ahead_));
    answer_all_ok();
    EXPECT_THAT(forgotten, ElementsAre(ahead_));
    EXPECT_EQ(session.watched_paths(), 0U);
}

TEST_F(session_traces, of_a_watch_are_told_to_everybody_who_wants_to_know) {
    start_attached();
    queue_behind(k_ann, 5);
    queue_behind(k_bob, 6);
    watch_fires(watch_kind::deleted, ahead_);
    EXPECT_EQ(count<children_op>(), 1U);
    answer<children_op>();
    EXPECT_EQ(count<children_op>(), 1U) << "for the one who asked while the other's was under way";
    EXPECT_THAT(forgotten, IsEmpty()) << "the watch went with its znode";
    EXPECT_EQ(session.watched_paths(), 0U);
}

TEST_F(session_traces, of_a_watch_that_ended_while_detached_go_after_the_re_attach) {
    start_attached();
    queue_behind(k_ann, 5);
    detach();
    on(cancel{k_ann});
    EXPECT_THAT(forgotten, IsEmpty());
    attach();
    EXPECT_THAT(forgotten, ElementsAre(ahead_));
    answer_all_ok();
    detach();
    attach();
    EXPECT_THAT(forgotten, ElementsAre(ahead_)) << "once";
}

TEST_F(session_traces, of_a_watch_stay_while_somebody_else_is_interested) {
    start_attached();
    queue_behind(k_ann, 5);
    queue_behind(k_bob, 6);
    detach();
    on(cancel{k_ann});
    attach();
    EXPECT_THAT(forgotten, IsEmpty());
}

TEST_F(session_traces, of_a_watch_are_no_matter_in_the_next_epoch) {
    start_attached();
    queue_behind(k_ann, 5);
    detach();
    on(cancel{k_ann});
    expire();
    EXPECT_EQ(session.watched_paths(), 0U);
    pass(50ms);
    attach();
    EXPECT_THAT(forgotten, IsEmpty());
}

TEST_F(session_traces, of_the_own_watch_go_with_the_release) {
    start_attached();
    const auto znode = take_lock(k_ann);
    pass(k_timeout / 5);
    answer_all_ok();
    EXPECT_EQ(session.watched_paths(), 1U);
    leave(k_ann);
    answer_all_ok();
    EXPECT_THAT(forgotten, ElementsAre(znode));
    EXPECT_EQ(session.watched_paths(), 0U);
}

// ---- hand-over inside one session -----------------------------------------------------------

TEST_F(session_traces, of_two_in_one_queue_do_not_mix) {
    start_attached();
    const auto anns = take_lock(k_ann);
    acquire(k_bob);
    const auto bobs = answer_create_and_list(1, {name_of(anns)});
    answer_all_ok();
    pass(k_timeout / 5);
    answer_all_ok();
    EXPECT_EQ(told<granted>(k_bob), 0U);
    leave(k_ann);
    watch_fires(watch_kind::deleted, anns);
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_EQ(told<lost>(k_ann), 0U);
    EXPECT_EQ(told<granted>(k_bob), 1U);
    answer_all_ok();
    leave(k_bob);
    answer_all_ok();
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(session.watched_paths(), 0U);
    EXPECT_EQ(session.owned_bytes(), 0U);
    EXPECT_THAT(forgotten, ElementsAre(bobs));
}

// ---- the bytes of a session's znodes (failure F38) ------------------------------------------

TEST_F(session_traces, in_bytes_are_those_of_the_paths) {
    start_attached();
    EXPECT_EQ(session.owned_bytes(), 0U);
    const auto anns = take_lock(k_ann);
    const auto alone = session.owned_bytes();
    EXPECT_EQ(alone, anns.size() + 4);
    acquire(k_bob);
    EXPECT_EQ(session.owned_bytes(), 2 * alone);
    answer_create_and_list(1, {name_of(anns)});
    EXPECT_EQ(session.owned_bytes(), 2 * alone);
    leave(k_ann);
    EXPECT_EQ(session.owned_bytes(), 2 * alone) << "until it is confirmed";
    answer_all_ok();
    EXPECT_EQ(session.owned_bytes(), alone);
    expire();
    EXPECT_EQ(session.owned_bytes(), alone) << "it will enter again";
    leave(k_bob);
    EXPECT_EQ(session.owned_bytes(), 0U);
}

TEST_F(session_traces, in_bytes_are_counted_from_the_call_until_it_is_gone) {
    start();
    constexpr std::uint64_t k_many = 100;
    for (std::uint64_t i = 1; i <= k_many; ++i) acquire(contender_id{i});
    const auto all = session.owned_bytes();
    EXPECT_GT(all, 0U) << "each will create as soon as there is a server";
    EXPECT_EQ(all % k_many, 0U);
    attach();
    EXPECT_EQ(session.owned_bytes(), all);
    expire();
    EXPECT_EQ(session.owned_bytes(), all) << "they will enter again";
    for (std::uint64_t i = 1; i <= k_many; ++i) leave(contender_id{i});
    EXPECT_EQ(session.owned_bytes(), 0U);
}

// ---- znodes of abandoned creates (failure F39) ----------------------------------------------

TEST_F(session_traces, of_an_abandoned_create_are_removed_whenever_they_are_seen) {
    start_attached();
    acquire(k_ann);
    const auto late = name_of(op<create_op>().path) + "0000000009";
    detach();
    on(cancel{k_ann});
    attach();
    answer<multi_op>();
    answer<children_op>();
    EXPECT_EQ(told<gone>(k_ann), 1U) << "it was not there";

    acquire(k_bob);
    answer_create_and_list(8, {late});
    EXPECT_EQ(op<remove_op>(), (remove_op{"/q/" + late}));
    EXPECT_EQ(told<granted>(k_bob), 1U);
    answer_all_ok();

    expire();
    pass(50ms);
    attach();
    acquire(k_eve);
    answer_create_and_list(10, {late});
    EXPECT_EQ(count<remove_op>(), 0U) << "it went with its session";
}

class session_traces_of_a_late_create : public session_traces {
protected:
    // Contender `id` enters, the connection breaks before the create's answer, and the caller cancels. The next list
    // does not show the created znode, which may still appear. Returns the znode's name.
    std::string abandon_create(contender_id id) {
        acquire(id);
        auto name = name_of(op<create_op>().path) + "0000000009";
        detach();
        on(cancel{id});
        attach();
        answer<multi_op>();
        answer<children_op>();
        EXPECT_EQ(told<gone>(id), 1U);
        notices.clear();
        return name;
    }
    void list_shows(names children) {
        auto listed = reply_to<children_op>();
        listed.children = std::move(children);
        on_event(std::move(listed));
    }
};

TEST_F(session_traces_of_a_late_create, are_looked_for_until_two_timeouts_have_passed) {
    start_attached();
    abandon_create(k_ann);
    const auto since = now;
    EXPECT_TRUE(session.idle()) << "nobody waits for the search";
    for (const auto after :
         {k_timeout / 8, k_timeout / 4, k_timeout / 2, k_timeout, 2 * k_timeout}) {
        pass_answered(since + after - 1ns - now);
        EXPECT_EQ(count<children_op>(), 0U);
        pass(1ns);
        EXPECT_EQ(op<children_op>(), (children_op{"/q"}));
        answer_all_ok();
    }
    log.clear();
    pass_answered(10 * k_timeout);
    for (const auto& entry : log) {
        const auto* request = std::get_if<submit>(&entry);
        ASSERT_NE(request, nullptr);
        EXPECT_FALSE(std::holds_alternative<children_op>(request->request.op)) << "it ends";
    }
}

TEST_F(session_traces_of_a_late_create, are_removed_until_the_servers_say_so) {
    start_attached();
    const auto late = abandon_create(k_ann);
    pass(k_timeout / 8);
    list_shows({stranger(3), late, "notes"});
    EXPECT_EQ(op<remove_op>(), (remove_op{"/q/" + late}));
    EXPECT_FALSE(session.idle());
    EXPECT_EQ(session.owned_bytes(), late.size() + 7) << "with /q/ and the length";
    detach();
    attach();
    EXPECT_EQ(op<remove_op>(), (remove_op{"/q/" + late})) << "its answer was lost";
    answer<remove_op>(server_error::other);
    pass(k_timeout / 5);
    EXPECT_EQ(op<remove_op>(), (remove_op{"/q/" + late}));
    answer_all_ok();
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(session.owned_bytes(), 0U);
    EXPECT_THAT(notices, ::testing::IsEmpty()) << "it was over for its caller long ago";
    pass_answered(10 * k_timeout);
    EXPECT_EQ(count<remove_op>(), 0U);
}

// The client had no connection for a whole session timeout, so its session has ended, and the abandoned znode with it.
// The client must not search for that znode. (Simulator, seed 8713.)
TEST_F(session_traces_of_a_late_create, go_with_a_session_that_comes_back_too_late) {
    start_attached();
    abandon_create(k_ann);
    detach();
    pass(k_timeout);
    attach();
    EXPECT_EQ(closed.size(), 1U);
    EXPECT_EQ(count<children_op>(), 0U);
}

TEST_F(session_traces_of_a_late_create, are_looked_for_again_if_the_list_is_lost) {
    start_attached();
    const auto late = abandon_create(k_ann);
    pass(k_timeout / 8);
    detach();
    EXPECT_EQ(count<children_op>(), 0U);
    attach();
    list_shows({late});
    EXPECT_EQ(op<remove_op>(), (remove_op{"/q/" + late}));
}

TEST_F(session_traces_of_a_late_create, are_looked_for_again_if_the_list_is_lost_while_attached) {
    start_attached();
    abandon_create(k_ann);
    pass(k_timeout / 8);
    lose_requests();
    EXPECT_EQ(count<children_op>(), 0U);
    pass(k_timeout / 5);
    EXPECT_EQ(count<children_op>(), 1U);
}

TEST_F(session_traces_of_a_late_create, are_gone_with_their_session) {
    start_attached();
    abandon_create(k_ann);
    expire();
    pass(50ms);
    attach();
    log.clear();
    pass_answered(3 * k_timeout);
    for (const auto& entry : log) {
        const auto* request = std::get_if<submit>(&entry);
        ASSERT_NE(request, nullptr);
        EXPECT_TRUE(std::holds_alternative<exists_op>(request->request.op));
    }
}

// ---- a refused removal (failure F7) ---------------------------------------------------------

TEST_F(session_traces, that_may_not_be_removed_end_with_their_session) {
    start_attached();
    take_lock(k_ann);
    take_lock(k_bob, 1);
    leave(k_ann);
    answer<remove_op>(server_error::no_auth);
    EXPECT_THAT(states(), ElementsAre(session_state::lost, session_state::connecting));
    EXPECT_THAT(closed, ElementsAre(how::orderly));
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_EQ(why<lost>(k_bob), errc::session_lost);
    pass(50ms);
    EXPECT_THAT(opened, ElementsAre(1U, 2U));
}

// ---- many callers ---------------------------------------------------------------------------

TEST_F(session_traces, are_none_after_many_callers_that_came_and_went) {
    start_attached();
    base::random chance{1};
    std::int32_t sequence = 100;
    for (std::uint64_t i = 1; i <= 300; ++i) {
        const contender_id id{i};
        acquire(id);
        switch (chance() % 6) {
            case 0:
                detach();
                on(cancel{id});
                attach();
                break;
            case 1: on(cancel{id}); break;
            case 2: answer_create_and_list(sequence++, {stranger(4)}); break;
            case 3:
                answer_create_and_list(sequence++, {stranger(3), stranger(4)});
                detach();
                attach();
                break;
            case 4:
                answer_create_and_list(sequence++);
                pass(k_timeout / 5);
                break;
            default: break;
        }
        leave(id);
        detach();
        attach();
        answer_all_ok();
        answer_all_ok();
    }
    EXPECT_TRUE(session.idle());
    EXPECT_EQ(session.watched_paths(), 0U);
    EXPECT_EQ(session.owned_bytes(), 0U);
}

}  // namespace
}  // namespace turnstile::core
