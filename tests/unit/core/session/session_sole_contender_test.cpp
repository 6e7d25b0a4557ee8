// SPDX-License-Identifier: Apache-2.0
// Tests a lock that only one session acquires, repeatedly. The number of the created znode shows that no contender is
// ahead, so the session does not list the folder's children.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class session_sole_contender : public test::session_fixture {
protected:
    static session_core_settings counting() {
        auto how = settings();
        how.numbers_count_creates = true;
        return how;
    }
    session_sole_contender() : session_fixture{counting()} {}
    explicit session_sole_contender(const session_core_settings& how) : session_fixture{how} {}

    void SetUp() override {
        start_attached();
        learn_role();
    }
    void learn_role(bool foreign = false) {
        auto role = link(link_kind::role_known, server_role::standalone);
        role.foreign = foreign;
        on_event(role);
    }

    contender_id enter(claim_kind kind = claim_kind::lock, attempt mode = attempt::wait) {
        core::acquire request;
        request.id = contender_id{++acquired_};
        request.settings.folder = "/q";
        request.settings.wants.kind = kind;
        request.settings.mode = mode;
        on(request);
        return request.id;
    }
    std::string answer_create(std::int32_t number) {
        auto reply = reply_to<create_op>();
        reply.path = op_of(reply) + fmt::format("{:010d}", number);
        reply.stat.ephemeral_owner = session_id;
        reply.stat.czxid = std::int64_t{100} + number;
        const auto path = reply.path;
        on_event(std::move(reply));
        return path;
    }
    void answer_list(const names& children) {
        auto listed = reply_to<children_op>();
        listed.children = children;
        on_event(std::move(listed));
    }
    // Acquires the lock and releases it. Returns true if the session listed the folder's children.
    bool cycle(std::int32_t number, claim_kind kind = claim_kind::lock) {
        const auto id = enter(kind);
        const auto path = answer_create(number);
        const bool lists = count<children_op>() != 0;
        if (lists) answer_list({name_of(path)});
        if (count<get_op>() != 0) answer<get_op>();
        EXPECT_EQ(told<granted>(id), 1U);
        leave(id);
        answer<remove_op>();
        EXPECT_EQ(told<gone>(id), 1U);
        return lists;
    }
    // Acquires and releases the lock twice, so that the session watches the folder.
    void take_twice(std::int32_t number = 0) {
        EXPECT_TRUE(cycle(number));
        EXPECT_TRUE(cycle(number + 1));
    }
    // Acquires and releases the locks /q and /r. One transaction creates the contenders' znodes, and then a temporary
    // znode (the probe znode) in /q. The contenders get the numbers `first` in /q and `second` in /r.
    void cycle_together(std::int32_t first, std::int32_t second) {
        acquire_together request;
        for (const auto* const folder : {"/q", "/r"}) {
            auto& each = request.all.emplace_back();
            each.id = contender_id{++acquired_};
            each.settings.folder = folder;
        }
        on(request);
        const auto parts = op<multi_op>().parts;
        auto reply = reply_to<multi_op>();
        reply.paths = {std::get<create_op>(parts[0]).path + fmt::format("{:010d}", first),
                       std::get<create_op>(parts[1]).path + fmt::format("{:010d}", second)};
        reply.paths.resize(parts.size());
        reply.stat.mzxid = 100 + first;
        reply.stat.ephemeral_owner = session_id;
        const auto paths = reply.paths;
        on_event(std::move(reply));
        for (const auto& path : {paths[0], paths[1]}) answer_list({name_of(path)});
        for (const auto& each : request.all) leave(each.id);
        answer_all_ok();
    }
    // Enters the next contender, and answers its create with `number`. Returns true if the session lists the folder's
    // children.
    bool needs_list(std::int32_t number, claim_kind kind = claim_kind::lock) {
        latest_ = enter(kind);
        latest_path_ = answer_create(number);
        const bool lists = count<children_op>() != 0;
        EXPECT_EQ(told<granted>(latest_), lists ? 0U : 1U);
        return lists;
    }

    contender_id latest_{};
    std::string latest_path_;

private:
    // Returns the path in the create that `answer` answers. The servers append the number to this path.
    std::string op_of(const reply& answer) const {
        for (const auto& action : log) {
            const auto* sent = std::get_if<submit>(&action);
            if (sent == nullptr || sent->request.id != answer.id) continue;
            return std::get<create_op>(sent->request.op).path;
        }
        return {};
    }
    std::uint64_t acquired_ = 0;
};

TEST_F(session_sole_contender, takes_a_lock_again_with_two_requests) {
    EXPECT_TRUE(cycle(0));
    const auto second = enter();
    const auto path = answer_create(1);
    ASSERT_EQ(count<get_op>(), 1U) << "taken again: the folder is watched from now on";
    EXPECT_EQ(op<get_op>().path, "/q");
    EXPECT_EQ(op<get_op>().watch, watch_mode::watch);
    answer_list({name_of(path)});
    EXPECT_EQ(told<granted>(second), 1U);
    leave(second);
    answer_all_ok();
    for (std::int32_t number = 2; number != 6; ++number) {
        log.clear();
        EXPECT_FALSE(cycle(number));
        EXPECT_EQ(
            std::count_if(log.begin(), log.end(),
                          [](const action& each) { return std::holds_alternative<submit>(each); }),
            2)
            << "a create and a remove";
    }
}

// The transaction that creates the two contenders also creates a temporary znode (the probe znode) in the first folder.
// This znode takes the number 1.
TEST_F(session_sole_contender, counts_the_probe_znode_of_a_transaction) {
    cycle_together(0, 0);
    EXPECT_TRUE(cycle(2)) << "the folder is watched from now on";
    EXPECT_FALSE(cycle(3));
}

TEST_F(session_sole_contender, takes_no_other_clients_znode_for_the_probe) {
    cycle_together(0, 0);
    EXPECT_TRUE(cycle(1)) << "the folder was deleted and made again";
    EXPECT_TRUE(cycle(2)) << "so only the watch and the next number count";
    EXPECT_FALSE(cycle(3));
}

TEST_F(session_sole_contender, lists_after_another_create_in_the_folder) {
    take_twice();
    EXPECT_TRUE(needs_list(3));
    EXPECT_THAT(forgotten, ElementsAre("/q")) << "the watch is given back";
    answer_list({stranger(2), name_of(latest_path_)});
    EXPECT_EQ(told<granted>(latest_), 0U);
    const auto next = enter();
    EXPECT_EQ(count<children_op>(), 1U) << "a list goes with the create again";
    EXPECT_NE(next, latest_);
}

TEST_F(session_sole_contender, lists_after_an_event_of_the_folder) {
    for (const auto kind : {watch_kind::deleted, watch_kind::changed, watch_kind::created}) {
        const auto number = static_cast<std::int32_t>(kind) * 10;
        take_twice(number);
        const auto id = enter();
        EXPECT_EQ(count<children_op>(), 0U);
        watch_fires(kind, "/q");
        const auto path = answer_create(number + 2);
        EXPECT_EQ(told<granted>(id), 0U);
        ASSERT_EQ(count<children_op>(), 1U);
        answer_list({name_of(path)});
        leave(id);
        answer_all_ok();
    }
}

TEST_F(session_sole_contender, goes_on_after_an_event_of_the_folders_children) {
    take_twice();
    watch_fires(watch_kind::children, "/q");
    EXPECT_FALSE(needs_list(2)) << "of another watch";
}

TEST_F(session_sole_contender, lists_on_a_new_connection) {
    take_twice();
    detach();
    attach();
    learn_role();
    EXPECT_TRUE(needs_list(2));
    answer_list({name_of(latest_path_)});
    leave(latest_);
    answer_all_ok();
    EXPECT_FALSE(needs_list(3)) << "the C client has set the watch again";
}

TEST_F(session_sole_contender, lists_in_a_new_session) {
    take_twice();
    expire();
    pass(10s);
    attach();
    learn_role();
    EXPECT_TRUE(needs_list(2));
}

TEST_F(session_sole_contender, lists_while_its_removal_is_not_confirmed) {
    take_twice();
    EXPECT_FALSE(needs_list(2));
    leave(latest_);
    ASSERT_EQ(count<remove_op>(), 1U);
    EXPECT_TRUE(needs_list(3)) << "the znode may still be there";
}

TEST_F(session_sole_contender, does_not_wait_for_the_answer_to_its_removal) {
    take_twice();
    EXPECT_FALSE(needs_list(2));
    leave(latest_);
    const auto next = enter();
    EXPECT_EQ(count<children_op>(), 0U);
    answer<remove_op>();
    answer_create(3);
    EXPECT_EQ(told<granted>(next), 1U);
}

TEST_F(session_sole_contender, lists_after_a_removal_that_found_no_znode) {
    take_twice();
    EXPECT_FALSE(needs_list(2));
    leave(latest_);
    answer<remove_op>(server_error::no_node);
    EXPECT_TRUE(needs_list(3)) << "another client has removed it, and perhaps the folder with it";
}

TEST_F(session_sole_contender, lists_beside_another_contender_of_the_session) {
    take_twice();
    EXPECT_FALSE(needs_list(2));
    EXPECT_TRUE(needs_list(3)) << "the first one holds";
}

TEST_F(session_sole_contender, two_creates_in_progress_grant_one) {
    take_twice();
    const auto first = enter();
    const auto second = enter();
    EXPECT_EQ(count<children_op>(), 0U);
    answer_create(2);
    answer_create(3);
    EXPECT_EQ(told<granted>(first), 1U);
    EXPECT_EQ(told<granted>(second), 0U);
    EXPECT_EQ(count<children_op>(), 1U);
}

TEST_F(session_sole_contender, lists_if_the_watch_is_refused) {
    EXPECT_TRUE(cycle(0));
    const auto id = enter();
    const auto path = answer_create(1);
    answer<get_op>(server_error::no_auth);
    answer_list({name_of(path)});
    leave(id);
    answer<remove_op>();
    EXPECT_TRUE(needs_list(2));
}

TEST_F(session_sole_contender, lists_if_the_watch_is_not_set_yet) {
    EXPECT_TRUE(cycle(0));
    const auto id = enter();
    const auto path = answer_create(1);
    answer_list({name_of(path)});
    leave(id);
    answer<remove_op>();
    EXPECT_TRUE(needs_list(2));
}

TEST_F(session_sole_contender, another_kind_lists) {
    take_twice();
    EXPECT_TRUE(needs_list(2, claim_kind::latch));
}

TEST_F(session_sole_contender, readers_writers_and_permits_list) {
    for (const auto kind : {claim_kind::read, claim_kind::write}) {
        take_twice(10);
        for (std::int32_t number = 12; number != 16; ++number) EXPECT_TRUE(cycle(number, kind));
    }
}

TEST_F(session_sole_contender, an_election_does_without_a_list_too) {
    for (const auto number : {0, 1}) EXPECT_TRUE(cycle(number, claim_kind::latch));
    EXPECT_FALSE(cycle(2, claim_kind::latch));
}

TEST_F(session_sole_contender, a_try_is_granted_by_its_number) {
    take_twice();
    const auto id = enter(claim_kind::lock, attempt::once);
    answer_create(2);
    EXPECT_EQ(told<granted>(id), 1U);
}

TEST_F(session_sole_contender, lists_near_the_end_of_the_counter) {
    constexpr std::int32_t k_end = std::numeric_limits<std::int32_t>::max();
    for (const std::int32_t from : {k_end - 3, std::int32_t{-2'147'483'648}})
        for (std::int32_t i = 0; i != 3; ++i) EXPECT_TRUE(cycle(from + i));
}

TEST_F(session_sole_contender, a_contender_that_gave_up_and_others_behind_it_show_nothing) {
    take_twice();
    const auto id = enter();
    on(core::cancel{id, errc::cancelled});
    const auto path = answer_create(2);
    EXPECT_EQ(told<granted>(id), 0U);
    answer<remove_op>();
    EXPECT_TRUE(needs_list(3)) << "it was not known to be first";
}

TEST_F(session_sole_contender,
       one_that_waits_remembers_nothing_and_one_that_is_handed_the_lock_does) {
    take_twice();
    EXPECT_TRUE(needs_list(3));
    answer_list({stranger(2), name_of(latest_path_)});
    answer<get_op>();
    watch_fires(watch_kind::deleted, "/q/" + stranger(2));
    EXPECT_EQ(told<granted>(latest_), 1U);
    leave(latest_);
    answer<remove_op>();
    EXPECT_TRUE(cycle(4));
    EXPECT_FALSE(cycle(5));
}

// ---- servers whose sequence numbers do not count the creates ----------------------------------

TEST_F(session_sole_contender, lists_where_the_server_is_not_known_to_be_zookeeper) {
    learn_role(true);
    for (std::int32_t number = 0; number != 4; ++number) EXPECT_TRUE(cycle(number));
}

class session_sole_contender_elsewhere : public session_sole_contender {
protected:
    session_sole_contender_elsewhere() : session_sole_contender{settings()} {}
};

TEST_F(session_sole_contender_elsewhere, lists_where_numbers_do_not_count_creates) {
    for (std::int32_t number = 0; number != 4; ++number) EXPECT_TRUE(cycle(number));
}

// ---- no room for a further watch --------------------------------------------------------------

class session_sole_contender_without_room : public session_sole_contender {
protected:
    static session_core_settings crowded() {
        auto how = counting();
        how.watches.bytes = 1;
        return how;
    }
    session_sole_contender_without_room() : session_sole_contender{crowded()} {}
};

TEST_F(session_sole_contender_without_room, sets_no_watch_and_lists) {
    for (std::int32_t number = 0; number != 4; ++number) EXPECT_TRUE(cycle(number));
}

}  // namespace
}  // namespace turnstile::core
