// SPDX-License-Identifier: Apache-2.0
// Tests that the session sends requests together if they had to wait for an earlier answer: the waiting creates in one
// transaction, and the waiting removals in one transaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr std::size_t k_creates = 2;
constexpr std::size_t k_releases = 2;

class session_batches : public test::session_fixture {
protected:
    session_batches() : session_fixture{few_at_once()} {}

    static session_core_settings few_at_once() {
        auto how = settings();
        how.numbers_count_creates = true;
        how.creations.under_way = k_creates;
        how.removals.awaited_under_way = k_releases;
        return how;
    }
    void SetUp() override {
        start_attached();
        learn_role(false);
    }
    void learn_role(bool foreign) {
        auto role = link(link_kind::role_known, server_role::standalone);
        role.foreign = foreign;
        on_event(role);
    }

    static contender_id member(std::size_t i) { return contender_id{100 + i}; }
    void enter(std::size_t i, const std::string& folder) {
        core::acquire request;
        request.id = member(i);
        request.settings.folder = folder;
        on(request);
    }
    // Lets `count` contenders enter, each in a different folder: "/0", "/1", ...
    void all_enter(std::size_t count) {
        for (std::size_t i = 0; i != count; ++i) enter(i, "/" + std::to_string(i));
    }
    void answer_create() {
        auto reply = reply_to<create_op>();
        reply.path = "/x/_c_g-lock-0000000000";
        reply.stat.ephemeral_owner = session_id;
        reply.stat.czxid = ++zxid_;
        on_event(std::move(reply));
    }
    void refuse_part(std::size_t which, server_error why) {
        const auto count = op<multi_op>().parts.size();
        auto reply = reply_to<multi_op>();
        reply.error = why;
        reply.parts.assign(count, server_error::rolled_back);
        std::fill_n(reply.parts.begin(), which, server_error::ok);
        reply.parts.at(which) = why;
        on_event(std::move(reply));
    }
    static std::string folder_of(const std::string& path) {
        return path.substr(0, path.rfind('/'));
    }
    // Returns the folders of the contenders that the oldest transaction creates.
    [[nodiscard]] names together() const {
        names all;
        for (const auto& part : op<multi_op>().parts) {
            const auto* create = std::get_if<create_op>(&part);
            if (create != nullptr && is_sequential(create->mode))
                all.push_back(folder_of(create->path));
        }
        return all;
    }
    [[nodiscard]] names removed_together() const {
        names all;
        for (const auto& part : op<multi_op>().parts) all.push_back(std::get<remove_op>(part).path);
        return all;
    }
    names take_locks(std::size_t count) {
        names paths;
        for (std::size_t i = 0; i != count; ++i) {
            enter(i, "/" + std::to_string(i));
            paths.push_back(answer_create_and_list(0));
            EXPECT_EQ(told<granted>(member(i)), 1U);
        }
        return paths;
    }

private:
    std::int64_t zxid_ = 1000;
};

// ---- creates --------------------------------------------------------------------------------

TEST_F(session_batches, few_contenders_enter_at_once_and_alone) {
    all_enter(k_creates);
    EXPECT_EQ(count<create_op>(), k_creates);
    EXPECT_EQ(count<multi_op>(), 0U);
}

TEST_F(session_batches,
       contenders_that_wait_for_an_answer_enter_together_in_the_order_of_the_calls) {
    all_enter(k_creates + 3);
    EXPECT_EQ(count<create_op>(), k_creates);
    answer<children_op>();
    EXPECT_EQ(count<multi_op>(), 0U) << "the answer to a list lets no contender in";
    answer_create();
    ASSERT_EQ(count<multi_op>(), 1U);
    EXPECT_THAT(together(), ElementsAre("/2", "/3", "/4"));
    enter(9, "/9");
    EXPECT_EQ(count<create_op>(), k_creates - 1) << "the transaction is in progress as well";
}

// If the servers listed the folder's children before the create, the answer would not show the contender.
TEST_F(session_batches, the_lists_follow_the_creates) {
    all_enter(k_creates + 2);
    log.clear();
    answer_create();
    std::vector<bool> is_list;
    for (const auto& action : log)
        if (const auto* sent = std::get_if<submit>(&action))
            is_list.push_back(std::holds_alternative<children_op>(sent->request.op));
    EXPECT_THAT(is_list, ElementsAre(false, true, true));
}

TEST_F(session_batches, two_contenders_of_a_folder_do_not_share_a_transaction) {
    all_enter(k_creates);
    for (std::size_t i = 0; i != 3; ++i) enter(10 + i, i == 1 ? "/b" : "/a");
    answer_create();
    ASSERT_EQ(count<multi_op>(), 1U);
    EXPECT_THAT(together(), ElementsAre("/a", "/b"));
    EXPECT_EQ(count<create_op>(), k_creates) << "the second contender of /a";
}

TEST_F(session_batches, whoever_gives_up_while_it_waits_sends_nothing) {
    all_enter(k_creates + 3);
    leave(member(k_creates));
    EXPECT_EQ(told<gone>(member(k_creates)), 1U);
    answer_create();
    EXPECT_THAT(together(), ElementsAre("/3", "/4"));
}

TEST_F(session_batches, contenders_that_wait_enter_on_the_next_connection) {
    all_enter(k_creates + 2);
    detach();
    EXPECT_EQ(told<failed>(member(k_creates)), 0U);
    attach();
    std::size_t creates = count<create_op>();
    for (const auto& entry : open)
        if (const auto* all = std::get_if<multi_op>(&entry.request.op))
            creates += static_cast<std::size_t>(
                std::count_if(all->parts.begin(), all->parts.end(), [](const auto& part) {
                    const auto* create = std::get_if<create_op>(&part);
                    return create != nullptr && is_sequential(create->mode);
                }));
    EXPECT_EQ(creates, 2U) << "the two that are unsure check first";
}

TEST_F(session_batches, servers_that_may_not_be_zookeepers_get_single_creates) {
    learn_role(true);
    all_enter(k_creates + 3);
    EXPECT_EQ(count<create_op>(), k_creates + 3);
    EXPECT_EQ(count<multi_op>(), 0U);
}

// ---- refused creates ------------------------------------------------------------------------

TEST_F(session_batches, a_refused_create_is_taken_out_and_the_rest_goes_again_at_once) {
    all_enter(k_creates + 3);
    answer_create();
    refuse_part(1, server_error::no_node);
    ASSERT_EQ(count<multi_op>(), 1U);
    EXPECT_THAT(together(), ElementsAre("/2", "/4"));
    const auto is_folder = [](const auto& entry) {
        const auto* create = std::get_if<create_op>(&entry.request.op);
        return create != nullptr && create->path == "/3";
    };
    EXPECT_EQ(std::count_if(open.begin(), open.end(), is_folder), 1) << "the missing folder";
}

TEST_F(session_batches, a_second_refusal_sends_each_create_alone) {
    all_enter(k_creates + 4);
    answer_create();
    refuse_part(0, server_error::no_auth);
    EXPECT_EQ(why<failed>(member(2)), errc::no_permission);
    const auto before = count<create_op>();
    refuse_part(0, server_error::no_node);
    EXPECT_EQ(count<multi_op>(), 0U);
    EXPECT_EQ(count<create_op>(), before + 3);
}

TEST_F(session_batches, a_refusal_that_names_no_create_sends_each_alone) {
    all_enter(k_creates + 2);
    answer_create();
    const auto before = count<create_op>();
    answer<multi_op>(server_error::other);
    EXPECT_EQ(count<multi_op>(), 0U);
    EXPECT_EQ(count<create_op>(), before + 2);
}

TEST_F(session_batches, whoever_has_given_up_is_not_created_after_a_refusal) {
    all_enter(k_creates + 3);
    answer_create();
    leave(member(4));
    refuse_part(0, server_error::no_node);
    EXPECT_EQ(count<multi_op>(), 0U) << "only one is left, and it goes alone";
    EXPECT_EQ(told<gone>(member(4)), 1U);
}

// ---- releases -------------------------------------------------------------------------------

TEST_F(session_batches, few_releases_go_at_once_and_alone) {
    const auto paths = take_locks(k_releases);
    for (std::size_t i = 0; i != k_releases; ++i) leave(member(i));
    EXPECT_EQ(count<remove_op>(), k_releases);
    EXPECT_EQ(count<multi_op>(), 0U);
}

TEST_F(session_batches, releases_behind_others_go_together) {
    const auto paths = take_locks(k_releases + 3);
    for (std::size_t i = 0; i != paths.size(); ++i) leave(member(i));
    EXPECT_EQ(count<remove_op>(), k_releases);
    answer<remove_op>();
    ASSERT_EQ(count<multi_op>(), 1U);
    EXPECT_THAT(removed_together(), ElementsAre(paths[2], paths[3], paths[4]));
    answer_all_ok();
    for (std::size_t i = 0; i != paths.size(); ++i) EXPECT_EQ(told<gone>(member(i)), 1U) << i;
}

TEST_F(session_batches, releases_that_wait_go_on_the_next_connection) {
    const auto paths = take_locks(k_releases + 2);
    for (std::size_t i = 0; i != paths.size(); ++i) leave(member(i));
    detach();
    attach();
    ASSERT_EQ(count<multi_op>(), 1U);
    EXPECT_THAT(removed_together(), ElementsAre(paths[2], paths[3]));
    EXPECT_EQ(count<remove_op>(), k_releases - 1) << "the other one waits for an answer";
}

// If the servers processed the create before the removal, the contender would wait for a znode of the same session.
TEST_F(session_batches, a_contender_that_enters_goes_behind_the_releases_that_wait) {
    const auto paths = take_locks(k_releases + 1);
    for (std::size_t i = 0; i != paths.size(); ++i) leave(member(i));
    ASSERT_EQ(count<remove_op>(), k_releases);
    enter(20, "/2");
    ASSERT_EQ(count<remove_op>(), k_releases + 1);
    const auto last = std::find_if(open.rbegin(), open.rend(), [](const auto& entry) {
        return std::holds_alternative<remove_op>(entry.request.op);
    });
    const auto create = std::find_if(open.rbegin(), open.rend(), [](const auto& entry) {
        return std::holds_alternative<create_op>(entry.request.op);
    });
    EXPECT_LT(create, last) << "counted from the latest request";
}

}  // namespace
}  // namespace turnstile::core
