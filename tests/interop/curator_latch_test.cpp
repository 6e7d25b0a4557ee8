// SPDX-License-Identifier: Apache-2.0
// Tests elections with Curator's participants: LeaderLatch beside `leader`, and LeaderSelector beside `leader`.
#include "interop/support.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_terms_each = 12;

class curator_latch : public ::testing::Test {
protected:
    const std::string path = lock_path();
    const testing::temporary_folder folder;
    const signal go_on{folder.path() / "signal"};
    const testing::java_program program{"CuratorLatch", TURNSTILE_JAVA_CLASSES};
    tcp_proxy proxy{server().connect_string(0)};
    const std::unique_ptr<client> servers = connect(proxy.address());
    const std::unique_ptr<client> observer = connect(server().connect_string());
    leader ours{*servers, path, {.id = "ours", .protocol = election_protocol::latch}};
    const leader seen{*observer, path, {.protocol = election_protocol::latch}};

    // Starts a Curator process that takes part in the election until the test calls signal::give(). Returns when
    // `in_queue` participants are in the queue.
    [[nodiscard]] testing::process curators(std::size_t in_queue) const {
        auto theirs = start("lead");
        EXPECT_TRUE(becomes_long(in_queue)) << theirs.output();
        return theirs;
    }
    [[nodiscard]] testing::process start(const std::string& role) const {
        return program.start({role, server().connect_string(), path, "theirs", go_on.pipe()},
                             folder.path() / "log");
    }
    [[nodiscard]] bool becomes_long(std::size_t size) const {
        return eventually([&] { return seen.participants().value().size() == size; });
    }
    // Returns the participants' ids in queue order, as in "ours* theirs". A star follows the leader's id.
    [[nodiscard]] std::string in_turn() const {
        std::string ids;
        const auto all = seen.participants().value();
        for (const auto& participant : all)
            ids += (ids.empty() ? "" : " ") + participant.id + (participant.leads ? "*" : "");
        return ids;
    }
    [[nodiscard]] std::string curators_view() const {
        return program.run({"participants", server().connect_string(), path});
    }
};

TEST_F(curator_latch, and_ours_lead_in_turn_and_never_together) {
    const critical_section section{folder.path()};
    auto theirs = program.start({"terms", server().connect_string(), path, "theirs",
                                 std::to_string(k_terms_each), folder.path()},
                                folder.path() / "log");
    ASSERT_TRUE(theirs.wait_for_output("READY")) << theirs.output();
    fencing_token before;
    for (int term = 0; term != k_terms_each; ++term) {
        ours.start();
        ASSERT_TRUE(ours.await({.timeout = limit()})) << theirs.output();
        ASSERT_TRUE(section.enter()) << "term " << term;
        EXPECT_LT(before, ours.fencing_token());
        before = ours.fencing_token();
        const bool last_term = term + 1 == k_terms_each;
        ASSERT_TRUE(last_term || becomes_long(2)) << theirs.output();
        EXPECT_TRUE(section.leave());
        ours.close();
    }
    expect_done(theirs);
    EXPECT_EQ(section.count(), 2 * k_terms_each);
    EXPECT_TRUE(becomes_long(0));
}

TEST_F(curator_latch, follows_ours_and_ours_follows_it_and_each_sees_the_ids) {
    ours.start();
    ASSERT_TRUE(ours.await({.timeout = limit()}));
    auto theirs = curators(2);
    EXPECT_EQ(in_turn(), "ours* theirs");
    const auto by_curator = curators_view();
    EXPECT_NE(by_curator.find("participant ours leads"), std::string::npos) << by_curator;
    EXPECT_NE(by_curator.find("participant theirs waits"), std::string::npos) << by_curator;
    EXPECT_EQ(theirs.output().find("leads"), std::string::npos);
    ours.close();
    ASSERT_TRUE(theirs.wait_for_output("leads")) << theirs.output();
    EXPECT_FALSE(ours.leads());
    ours.start();
    ASSERT_TRUE(becomes_long(2));
    EXPECT_EQ(in_turn(), "theirs* ours");
    EXPECT_EQ(seen.present_leader().value()->id, "theirs");
    EXPECT_FALSE(ours.leads());
    go_on.give();
    ASSERT_TRUE(ours.await({.timeout = limit()})) << theirs.output();
    expect_done(theirs);
}

// Failure F4: a leader without a connection must stop before the next participant leads. Here the next participant
// belongs to another library, which has no leases.
TEST_F(curator_latch, does_not_lead_while_ours_that_is_cut_off_does) {
    ours.start();
    ASSERT_TRUE(ours.await({.timeout = limit()}));
    auto theirs = curators(2);
    const auto ended = ours.lost();
    proxy.black_hole();
    const bool followed = eventually([&] {
        const bool theirs_leads = theirs.output().find("leads") != std::string::npos;
        // The disconnected leader cannot lead again.
        EXPECT_FALSE(theirs_leads && ours.leads());
        return theirs_leads;
    });
    ASSERT_TRUE(followed) << theirs.output();
    EXPECT_TRUE(eventually([&] { return ended.stop_requested(); }));
    proxy.pass();
    ASSERT_TRUE(eventually([&] { return in_turn() == "theirs* ours"; }));
    go_on.give();
    EXPECT_TRUE(ours.await({.timeout = limit()}));
    ASSERT_TRUE(theirs.wait());
}

TEST_F(curator_latch, selectors_and_our_elections_take_turns) {
    testing::event began;
    const critical_section section{folder.path()};
    leader mine{*servers,
                path,
                [&](leader_term& term) {
                    testing::event stopped;
                    const std::stop_callback told{term.lost(), [&] { stopped.set(); }};
                    EXPECT_TRUE(section.enter());
                    began.set();
                    EXPECT_TRUE(stopped.wait());
                    EXPECT_TRUE(section.leave());
                },
                {.id = "ours"}};
    mine.start();
    ASSERT_TRUE(began.wait());
    auto theirs = start("select");
    ASSERT_TRUE(eventually([&] { return mine.participants().value().size() == 2; }));
    EXPECT_EQ(mine.participants().value().at(1).id, "theirs");
    EXPECT_EQ(theirs.output().find("leads"), std::string::npos);
    mine.resign();
    ASSERT_TRUE(theirs.wait_for_output("leads")) << theirs.output();
    EXPECT_EQ(section.count(), 1);
    ASSERT_TRUE(eventually([&] { return mine.participants().value().size() == 2; }));
    EXPECT_EQ(mine.present_leader().value()->id, "theirs");
    EXPECT_EQ(began.count(), 1U);
    go_on.give();
    ASSERT_TRUE(began.wait(2)) << theirs.output();
    mine.close();
    expect_done(theirs);
}

}  // namespace
}  // namespace turnstile::tests
