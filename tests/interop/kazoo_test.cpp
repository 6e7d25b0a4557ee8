// SPDX-License-Identifier: Apache-2.0
// Tests kazoo's locks and this library's locks on one path. Both libraries use the contenders' names in
// docs/why/mutex.md and docs/why/shared-mutex.md.
#include <utility>

#include "interop/support.hpp"
#include "turnstile/testing/process.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_grants = 40;

class kazoo : public ::testing::Test {
protected:
    const std::string path = lock_path();
    const testing::temporary_folder folder;
    const signal go_on{folder.path() / "signal"};
    const critical_section section{folder.path()};
    const std::unique_ptr<client> servers = connect(server().connect_string());

    [[nodiscard]] testing::process start(const std::string& role,
                                         const std::vector<std::string>& arguments) const {
        std::vector<std::string> command{TURNSTILE_PYTHON, TURNSTILE_KAZOO_CONTENDER, role,
                                         server().connect_string(), path};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return testing::process{{.command = std::move(command),
                                 .environment = {"PYTHONDONTWRITEBYTECODE=1"},
                                 .output = folder.path() / (role + ".log")}};
    }
    // Starts a process with kazoo that holds the lock until the test calls signal::give().
    [[nodiscard]] testing::process holder(const std::string& role) const {
        return start(role, {go_on.pipe()});
    }
    [[nodiscard]] testing::process contender(const std::string& role) const {
        auto theirs = start(role, {std::to_string(k_grants), folder.path()});
        EXPECT_TRUE(theirs.wait_for_output("READY")) << theirs.output();
        return theirs;
    }
    // Takes the lock in turns with a process that uses kazoo. The first hold of this library begins before that process
    // starts.
    template <class Lock>
    void take_turns(Lock& lock, const std::string& role) const {
        auto hold = lock.acquire({.timeout = limit()});
        auto theirs = contender(role);
        tests::take_turns(lock, std::move(hold), theirs, section, k_grants);
        EXPECT_TRUE(eventually([&] { return lock.queue().value().empty(); }));
    }
};

TEST_F(kazoo, locks_and_ours_exclude_each_other) {
    mutex lock{*servers, path};
    take_turns(lock, "lock");
}

TEST_F(kazoo, lock_waits_for_ours_and_ours_for_it) {
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit(), .label = "ours"}).value();
    auto theirs = holder("hold-lock");
    ASSERT_TRUE(is_waited_for(hold, *servers)) << theirs.output();
    EXPECT_EQ(theirs.output().find("granted"), std::string::npos);
    EXPECT_EQ(lock.queue().value().at(1).metadata.text, "kazoo");
    auto shown = start("contenders", {});
    ASSERT_TRUE(shown.wait()) << shown.output();
    EXPECT_NE(shown.output().find("label=ours"), std::string::npos) << shown.output();
    EXPECT_NE(shown.output().find("contender kazoo"), std::string::npos) << shown.output();
    hold.unlock();
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    EXPECT_TRUE(is_busy(lock.try_acquire()));
    go_on.give();
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    expect_done(theirs);
}

TEST_F(kazoo, writers_and_ours_exclude_each_other) {
    shared_mutex lock{*servers, path};
    take_turns(lock, "write");
}

TEST_F(kazoo, reader_waits_for_our_writer_shares_with_our_reader_and_keeps_our_writer_out) {
    shared_mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    auto theirs = holder("hold-read");
    let_in_beside(lock, std::move(hold), theirs, *servers);
    EXPECT_TRUE(is_busy(lock.try_acquire()));
    go_on.give();
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    expect_done(theirs);
}

TEST_F(kazoo, writer_waits_for_our_reader_and_our_reader_for_it) {
    shared_mutex lock{*servers, path};
    auto hold = lock.acquire_shared({.timeout = limit()}).value();
    auto theirs = holder("hold-write");
    ASSERT_TRUE(is_waited_for(hold, *servers)) << theirs.output();
    EXPECT_EQ(theirs.output().find("granted"), std::string::npos);
    // This reader must queue behind the waiting writer.
    EXPECT_TRUE(is_busy(lock.try_acquire_shared()));
    hold.unlock();
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    EXPECT_TRUE(is_busy(lock.try_acquire_shared()));
    go_on.give();
    EXPECT_TRUE(lock.acquire_shared({.timeout = limit()}).has_value());
    expect_done(theirs);
}

TEST_F(kazoo, election_and_ours_have_one_leader) {
    testing::event began;
    testing::event ended;
    leader ours{*servers,
                path,
                [&](leader_term& term) {
                    testing::event stopped;
                    const std::stop_callback told{term.lost(), [&] { stopped.set(); }};
                    EXPECT_TRUE(section.enter());
                    began.set();
                    EXPECT_TRUE(stopped.wait());
                    EXPECT_TRUE(section.leave());
                    ended.set();
                },
                {.id = "ours"}};
    ours.start();
    ASSERT_TRUE(began.wait());
    auto theirs = holder("lead");
    ASSERT_TRUE(eventually([&] { return ours.participants().value().size() == 2; }));
    EXPECT_EQ(ours.participants().value().at(1).id, "kazoo");
    EXPECT_EQ(theirs.output().find("granted"), std::string::npos);
    ours.resign();
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    EXPECT_EQ(ended.count(), 1U);
    ASSERT_TRUE(eventually([&] { return ours.participants().value().size() == 2; }));
    EXPECT_EQ(ours.present_leader().value()->id, "kazoo");
    EXPECT_EQ(began.count(), 1U);
    go_on.give();
    ASSERT_TRUE(began.wait(2)) << theirs.output();
    ours.close();
    expect_done(theirs);
}

}  // namespace
}  // namespace turnstile::tests
