// SPDX-License-Identifier: Apache-2.0
// Tests contenders that enter together: one transaction creates their znodes, and then the session requests a list of
// each contender's folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/queue/permits.hpp"
#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::int64_t k_zxid = 4711;

class session_enter_together : public test::session_fixture {
protected:
    void SetUp() override { start_attached(); }

    static core::acquire request_in(const std::string& folder, contender_id id) {
        core::acquire request;
        request.id = id;
        request.settings.folder = folder;
        return request;
    }
    void enter(const names& folders) {
        acquire_together request;
        for (std::size_t i = 0; i != folders.size(); ++i)
            request.all.push_back(request_in(folders[i], contender_id{i + 1}));
        on(std::move(request));
    }
    // Returns the contenders' creates in the oldest transaction, without the create of the probe znode, which the same
    // transaction removes.
    [[nodiscard]] std::vector<create_op> created() const {
        std::vector<create_op> all;
        for (const auto& part : op<multi_op>().parts) {
            const auto* create = std::get_if<create_op>(&part);
            if (create != nullptr && is_sequential(create->mode)) all.push_back(*create);
        }
        return all;
    }
    // Answers the creates as if each folder were new, so each created znode gets the number 0. Returns the paths of the
    // znodes.
    names answer_creates() {
        names paths;
        for (const auto& create : created()) paths.push_back(create.path + "0000000000");
        auto reply = reply_to<multi_op>();
        reply.paths = paths;
        reply.paths.resize(paths.size() + 3);
        reply.stat.mzxid = k_zxid;
        reply.stat.ephemeral_owner = session_id;
        on_event(std::move(reply));
        return paths;
    }
    void answer_list(const std::string& own) {
        auto listed = reply_to<children_op>();
        listed.children = {name_of(own)};
        on_event(std::move(listed));
    }
    [[nodiscard]] std::vector<std::int64_t> tokens() const {
        std::vector<std::int64_t> all;
        for (const auto& notice : notices)
            if (const auto* grant = std::get_if<granted>(&notice.event))
                all.push_back(static_cast<std::int64_t>(grant->token.zxid()));
        return all;
    }
};

TEST_F(session_enter_together, create_in_one_transaction_and_list_behind_it) {
    enter({"/a", "/b", "/c"});
    ASSERT_EQ(open.size(), 4U);
    ASSERT_TRUE(std::holds_alternative<multi_op>(open.front().request.op));
    EXPECT_EQ(count<children_op>(), 3U);
    ASSERT_EQ(created().size(), 3U);
    EXPECT_THAT(created()[0].path, StartsWith("/a/_c_"));
    EXPECT_THAT(created()[2].path, StartsWith("/c/_c_"));
}

// The transaction also creates a probe znode and writes into it, because only the result of a write has the
// transaction's zxid. The transaction must also remove the probe znode, so that no client finds it.
TEST_F(session_enter_together, leave_no_probe_behind) {
    enter({"/a", "/b"});
    const auto parts = op<multi_op>().parts;
    ASSERT_EQ(parts.size(), 5U);
    const auto& probe = std::get<create_op>(parts[2]);
    EXPECT_THAT(probe.path, StartsWith("/a/_probe-"));
    EXPECT_EQ(probe.mode, create_mode::ephemeral);
    EXPECT_EQ(std::get<set_op>(parts[3]).path, probe.path);
    EXPECT_EQ(std::get<remove_op>(parts[4]).path, probe.path);
}

TEST_F(session_enter_together, are_granted_with_the_transactions_zxid) {
    enter({"/a", "/b"});
    for (const auto& path : answer_creates()) answer_list(path);
    EXPECT_EQ(told<granted>(k_ann), 1U);
    EXPECT_EQ(told<granted>(k_bob), 1U);
    EXPECT_THAT(tokens(), ElementsAre(k_zxid, k_zxid));
    EXPECT_THAT(open, IsEmpty());
}

// The znodes of one transaction share a czxid, which becomes the fencing token. So contenders of one folder must not be
// created in one transaction.
TEST_F(session_enter_together, in_one_folder_do_not_share_a_transaction) {
    enter({"/a", "/b", "/a"});
    EXPECT_EQ(created().size(), 2U);
    EXPECT_EQ(count<create_op>(), 1U);
}

TEST_F(session_enter_together, that_are_refused_create_each_by_itself) {
    enter({"/a", "/b"});
    auto reply = reply_to<multi_op>();
    reply.error = server_error::no_node;
    reply.parts = {server_error::ok, server_error::no_node, server_error::rolled_back,
                   server_error::rolled_back, server_error::rolled_back};
    on_event(std::move(reply));
    ASSERT_EQ(count<create_op>(), 2U);
    EXPECT_THAT(op<create_op>().path, StartsWith("/a/_c_"));
    answer_all_ok();  // an answer from the time before these contenders' znodes existed
    EXPECT_EQ(told<failed>(k_ann), 0U);
    EXPECT_EQ(told<failed>(k_bob), 0U);
}

// The servers refuse to list the children of one folder. The session must continue, because it may have holds in other
// folders.
TEST_F(session_enter_together, a_folder_that_may_not_be_listed_ends_no_session) {
    enter({"/a", "/b"});
    answer<multi_op>(server_error::no_node);
    answer<children_op>(server_error::no_auth);
    EXPECT_EQ(session.state(), session_state::connected);
    EXPECT_EQ(count<create_op>(), 2U);
}

// The contender must read the limit after its second create. If it read the limit earlier, it would ignore the answer
// and then wait for ever.
TEST_F(session_enter_together, a_refused_contender_for_permits_reads_the_limit_behind_its_create) {
    acquire_together both{{request_in("/a", k_ann), request_in("/s", k_bob)}};
    both.all[1].settings.wants = {claim_kind::permit, 1};
    on(std::move(both));
    answer<multi_op>(server_error::no_node);
    answer<children_op>();
    answer<children_op>();
    answer<get_op>();
    answer_create_and_list(0);
    const auto bob = op<create_op>().path + "0000000000";
    auto created = reply_to<create_op>();
    created.path = bob;
    created.stat.czxid = k_zxid;
    created.stat.ephemeral_owner = session_id;
    on_event(std::move(created));
    answer_list(bob);
    auto limit = reply_to<get_op>();
    limit.data = limit_text({1, 1});
    on_event(std::move(limit));
    EXPECT_EQ(told<granted>(k_bob), 1U);
}

TEST_F(session_enter_together, whoever_has_given_up_is_not_created_after_a_refusal) {
    enter({"/a", "/b"});
    leave(k_ann);
    answer<multi_op>(server_error::no_node);
    EXPECT_EQ(count<create_op>(), 1U);
    EXPECT_THAT(op<create_op>().path, StartsWith("/b/_c_"));
    EXPECT_EQ(told<gone>(k_ann), 1U);
}

TEST_F(session_enter_together, whose_answer_is_lost_look_for_their_znodes) {
    enter({"/a", "/b"});
    detach();
    attach();
    EXPECT_EQ(count<create_op>(), 0U);
    EXPECT_EQ(count<multi_op>(), 2U)
        << "each checks that a list of its folder is behind the create";
}

// Some servers return no Stat for a create in a transaction, and so no czxid.
TEST_F(session_enter_together, whose_czxid_is_not_told_look_for_it) {
    enter({"/a", "/b"});
    auto reply = reply_to<multi_op>();
    reply.paths = {"/a/x", "/b/x", "", "", ""};
    on_event(std::move(reply));
    pass(10s);
    EXPECT_EQ(told<granted>(k_ann), 0U);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    EXPECT_EQ(count<multi_op>(), 2U);
}

TEST_F(session_enter_together, one_alone_needs_no_transaction) {
    enter({"/a"});
    EXPECT_EQ(count<multi_op>(), 0U);
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U);
}

TEST_F(session_enter_together, without_a_connection_enter_when_there_is_one) {
    detach();
    enter({"/a", "/b"});
    EXPECT_THAT(open, IsEmpty());
    attach();
    EXPECT_EQ(count<create_op>() + count<multi_op>(), 2U);
}

// The session's own contenders that gave up must not block the new contenders.
TEST_F(session_enter_together, follow_the_removals_that_wait) {
    for (std::uint64_t i = 0; i != 4; ++i) {
        acquire(contender_id{100 + i});
        answer_create_and_list(static_cast<std::int32_t>(i) + 1, {stranger(0)});
        answer<get_op>();
    }
    for (std::uint64_t i = 0; i != 4; ++i) leave(contender_id{100 + i});
    log.clear();
    enter({"/a", "/b"});
    std::vector<multi_op> sent;
    for (const auto& decided : log)
        if (const auto* request = std::get_if<submit>(&decided))
            if (const auto* together = std::get_if<multi_op>(&request->request.op))
                sent.push_back(*together);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<remove_op>(sent[0].parts.front()));
    EXPECT_TRUE(std::holds_alternative<create_op>(sent[1].parts.front()));
}

TEST_F(session_enter_together, are_refused_together_after_a_close) {
    on(core::close{});
    enter({"/a", "/b"});
    EXPECT_EQ(told<failed>(k_ann), 1U);
    EXPECT_EQ(told<gone>(k_bob), 1U);
}

}  // namespace
}  // namespace turnstile::core
