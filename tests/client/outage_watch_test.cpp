// SPDX-License-Identifier: Apache-2.0
// Tests that the log and callers' errors say why no server answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/latest_failure.hpp"
#include "client/outage_watch.hpp"
#include "log_lines.hpp"
#include "support.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;
using tests::eventually;
using tests::log_lines;

class deaf_servers final : public core::coordinator {
public:
    [[nodiscard]] turnstile::promises promises() const override { return {}; }
    std::unique_ptr<core::coordinator_session> open(const core::session_settings& /*settings*/,
                                                    core::session_sink& /*sink*/) override {
        throw std::logic_error{"nobody opens a session here"};
    }
    [[nodiscard]] std::string describe() const override { return "zk1:2181"; }
    [[nodiscard]] std::string diagnose() const override {
        ++asked;
        return "zk1:2181: Connection refused";
    }
    [[nodiscard]] std::optional<error> last_failure() const override { return failure.get(); }

    base::latest_failure failure;
    mutable std::atomic<int> asked{0};
};

class outage_watch_test : public ::testing::Test {
protected:
    const log_lines lines;
    client_timers timers{thread_start{.duty = thread_duty::timers, .name = "test-timer"}};
    std::shared_ptr<worker_pool> workers = worker_pool::start({});
    std::shared_ptr<deaf_servers> servers = std::make_shared<deaf_servers>();
    std::unique_ptr<outage_watch> watch;

    void TearDown() override {
        timers.stop();
        workers->finish();
    }
    void start(boottime_clock::duration patience) {
        watch = std::make_unique<outage_watch>(timers, workers, servers, patience);
    }
    // Starts an outage_watch that reports the outage at once, and waits for the report.
    void tell_the_first() {
        start({});
        ASSERT_TRUE(eventually([&] { return lines.with("no session") == 1; }));
    }
    [[nodiscard]] std::string explained() const {
        return watch->explain({errc::not_connected, "/locks/a, at zk1:2181"}).detail();
    }
    void change(unsigned session, session_state to) {
        watch->on_change({session, 1, session_state::connecting, to});
    }
    // Returns how many log lines have this text, after all due reports.
    std::ptrdiff_t told(std::string_view text) {
        timers.stop();
        workers->finish();
        flush_log(10s);
        return lines.with(text);
    }
};

TEST_F(outage_watch_test, a_client_that_never_reaches_a_server_is_told_what_each_answers) {
    start({});
    EXPECT_TRUE(eventually([&] {
        return lines.with("no session with zk1:2181 for 0 s: zk1:2181: Connection refused") == 1;
    }));
}

TEST_F(outage_watch_test, an_outage_that_was_told_ends_with_a_line) {
    tell_the_first();
    change(0, session_state::connected);
    EXPECT_EQ(told("zk1:2181: the outage of 0 s is over"), 1);
}

TEST_F(outage_watch_test, an_outage_that_was_not_told_ends_without_one) {
    start(1h);
    change(0, session_state::connected);
    EXPECT_EQ(told("outage"), 0);
}

TEST_F(outage_watch_test, one_detached_session_of_two_is_no_outage) {
    tell_the_first();
    change(0, session_state::connected);
    change(1, session_state::connected);
    change(0, session_state::suspended);
    EXPECT_EQ(told("no session"), 1);
}

TEST_F(outage_watch_test, begins_again_when_the_last_session_is_detached) {
    tell_the_first();
    change(0, session_state::connected);
    change(0, session_state::suspended);
    EXPECT_TRUE(eventually([&] { return lines.with("no session") == 2; }));
}

TEST_F(outage_watch_test, a_client_that_has_closed_waits_for_no_server) {
    tell_the_first();
    change(0, session_state::connected);
    change(0, session_state::closed);
    EXPECT_EQ(told("no session"), 1);
}

// No server has come up, so the log must not say that the outage has ended.
TEST_F(outage_watch_test, the_end_of_a_client_ends_no_outage) {
    tell_the_first();
    change(0, session_state::closed);
    EXPECT_EQ(told("is over"), 0);
}

TEST_F(outage_watch_test, a_caller_is_told_what_the_servers_answer) {
    start(1h);
    EXPECT_THAT(explained(), AllOf(StartsWith("/locks/a, at zk1:2181 (no session after "),
                                   EndsWith(", and no server has refused the client so far)")))
        << "the first attempt is under way";
    change(0, session_state::connected);
    change(0, session_state::suspended);
    EXPECT_TRUE(eventually([&] {
        return explained() == "/locks/a, at zk1:2181 (Connection refused)";
    })) << explained();
    change(0, session_state::connected);
    change(0, session_state::suspended);
    EXPECT_THAT(explained(), StartsWith("/locks/a, at zk1:2181 (no session after "))
        << "of another outage nothing is known yet";
}

TEST_F(outage_watch_test, a_failed_attempt_says_more_than_a_question) {
    servers->failure.set({errc::quota_exceeded, "OOM command not allowed"});
    start(1h);
    const auto why = watch->explain({errc::not_connected, "/locks/a, at zk1:2181"});
    EXPECT_EQ(why, errc::quota_exceeded);
    EXPECT_EQ(why.detail(), "/locks/a, at zk1:2181 (OOM command not allowed)");
    watch->ask();
    EXPECT_EQ(told("outage"), 0);
    EXPECT_EQ(servers->asked, 0) << "what is known is not asked for";
}

TEST_F(outage_watch_test, an_open_that_failed_is_a_cause) {
    start(1h);
    watch->on_open_failed({errc::unresolvable, "zk1:2181: Name or service not known"});
    const auto why = watch->explain({errc::not_connected, "zk1:2181"});
    EXPECT_EQ(why, errc::unresolvable);
    EXPECT_EQ(why.detail(), "zk1:2181 (Name or service not known)");
}

TEST_F(outage_watch_test, other_errors_stay_as_they_are) {
    start(1h);
    servers->failure.set({errc::not_connected, "Connection refused"});
    const error late{errc::timeout, "/locks/a: 1 contender ahead when last seen"};
    EXPECT_EQ(watch->explain(late), late);
    const error missing{errc::no_chroot, "/locks/a"};
    EXPECT_EQ(watch->explain(missing).detail(),
              "zk1:2181, for /locks/a; `turnstile mkdir /` or client_options::create_chroot "
              "creates it");
    EXPECT_EQ(with_cause(missing, "local:x/shop", std::nullopt).detail(),
              "local:x/shop, for /locks/a; client_options::create_chroot creates it");
    EXPECT_EQ(watch->explain(errc::auth_failed).message(),
              "the servers refused the credentials: zk1:2181 (Connection refused)");
    servers->failure.set({errc::no_permission, "create_chroot: to create it"});
    EXPECT_EQ(watch->explain(missing),
              (error{errc::no_permission, "zk1:2181, for /locks/a: create_chroot: to create it"}));
}

}  // namespace
}  // namespace turnstile::detail
