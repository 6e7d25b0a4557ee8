// SPDX-License-Identifier: Apache-2.0
// Tests the guardian (a process that closes the sessions of a dead process) on Redis, PostgreSQL and MariaDB. Other
// processes hold a lock, and then end or live on.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "client/back_ends.hpp"
#include "guardian/message.hpp"
#include "support.hpp"
#include "support/descriptor.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#ifdef TURNSTILE_WITH_REDIS
#include "turnstile/testing/redis_server.hpp"
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
#include "turnstile/testing/postgres_server.hpp"
#endif
#ifdef TURNSTILE_WITH_MARIADB
#include "turnstile/testing/mariadb_server.hpp"
#endif

namespace turnstile::tests {
namespace {

// The session timeout in milliseconds. It is longer than any wait of a test, so only the guardian can free a lock.
constexpr auto k_session_timeout = "600000";

// Returns the connect string of a server that the test program shares. The first test that needs the server starts it.
template <class Server>
std::string started() {
    static Server server;
    static const bool ready = (server.start(), true);
    EXPECT_TRUE(ready);
    return server.connect_string();
}

struct kind {
    const char* name;
    std::string (*connect_string)();
};

class guarded_kinds : public ::testing::TestWithParam<kind> {
protected:
    testing::process start(const std::string& use, const std::string& end,
                           const std::vector<std::string>& parent = {},
                           const std::string& at = {}) {
        auto command = parent;
        command.insert(command.end(), {TURNSTILE_HOLDER, where, at.empty() ? path : at,
                                       k_session_timeout, use, TURNSTILE_GUARDIAN, end, "7"});
        return testing::process{{.command = command,
                                 .environment = {"TURNSTILE_GUARDIAN="},
                                 .output = folder.path() / ("log" + std::to_string(++logs_))}};
    }
    [[nodiscard]] bool granted(const std::string& at) {
        mutex other{*others, at};
        return other.acquire({.timeout = limit()}).has_value();
    }

    const std::string where = GetParam().connect_string();
    const testing::temporary_folder folder;
    const std::string path =
        // All tests share the server, so each test needs a different path.
        "/tests/guarded_kinds/" + folder.path().filename().string();
    std::unique_ptr<client> others = connect(where);
    mutex lock{*others, path};

private:
    int logs_ = 0;
};

TEST_P(guarded_kinds, the_lock_of_a_killed_process_is_the_next_ones) {
    auto holder = start("started", "hold");
    ASSERT_TRUE(holder.wait_for_output("held\n")) << holder.output();
    EXPECT_FALSE(lock.try_acquire().has_value());
    holder.kill();
    EXPECT_TRUE(granted(path));
}

// The first killed process has no guardian. The test waits until a guardian has ended the session of a second killed
// process. Meanwhile the first process's session must not end.
TEST_P(guarded_kinds, without_a_guardian_the_lock_of_a_killed_process_stays_taken) {
    auto holder = start("off", "hold");
    ASSERT_TRUE(holder.wait_for_output("held\n")) << holder.output();
    holder.kill();
    auto second = start("started", "hold", {}, path + "-second");
    ASSERT_TRUE(second.wait_for_output("held\n")) << second.output();
    second.kill();
    EXPECT_TRUE(granted(path + "-second"));
    EXPECT_EQ(queue_names(*others, path).size(), 1U);
    EXPECT_FALSE(lock.try_acquire().has_value());
}

TEST_P(guarded_kinds, a_parent_frees_the_lock_before_it_ends) {
    auto parent = start("inherited", "segv", {TURNSTILE_GUARDIAN, "--"});
    ASSERT_TRUE(parent.wait());
    EXPECT_EQ(parent.exit_code(), 128 + SIGSEGV) << parent.output();
    EXPECT_TRUE(queue_names(*others, path).empty());
}

// A guardian watches a stopped process and a killed process. When it has ended the killed process's session, the
// stopped process must still have its session.
TEST_P(guarded_kinds, a_stopped_process_keeps_its_session) {
    auto parent =
        start("inherited", "hold",
              {TURNSTILE_GUARDIAN, "--", "sh", "-c",
               R"("$@" & first=$!; set -- "$1" "$2" "$3-second" "$4" "$5" "$6" "$7" "$8"; )"
               R"("$@" & echo pids $first $! .; wait)",
               "sh"});
    ASSERT_TRUE(eventually([&] {
        return queue_names(*others, path).size() == 1 &&
               queue_names(*others, path + "-second").size() == 1;
    })) << parent.output();
    ASSERT_TRUE(parent.wait_for_output(" .")) << parent.output();
    const auto said = parent.output();
    std::istringstream words{said.substr(said.find("pids ") + 5)};
    pid_t first = 0;
    pid_t second = 0;
    ASSERT_TRUE(words >> first >> second) << said;
    ::kill(first, SIGSTOP);
    const auto stopped = queue_names(*others, path);
    ::kill(second, SIGKILL);
    EXPECT_TRUE(granted(path + "-second"));
    EXPECT_EQ(queue_names(*others, path), stopped);
    EXPECT_FALSE(lock.try_acquire().has_value());
    ::kill(first, SIGCONT);
    ::kill(first, SIGKILL);
    EXPECT_TRUE(granted(path));
}

TEST_P(guarded_kinds, a_guardian_without_the_program_says_so) {
    const auto alone = folder.path() / "turnstile-guardian";
    std::filesystem::copy_file(TURNSTILE_GUARDIAN, alone);
    auto parent = start("inherited", "segv", {alone.string(), "--"});
    ASSERT_TRUE(parent.wait());
    EXPECT_THAT(parent.output(), ::testing::ContainsRegex(
                                     "turnstile-guardian: cannot start .*/turnstile-session-end "
                                     ".*stay taken for the session timeout\n"));
    EXPECT_EQ(queue_names(*others, path).size(), 1U);
}

#ifdef TURNSTILE_PROGRAM
// The keeper, a child process of `turnstile run`, must close the session of a killed `run`. The guardian's program does
// not run here.
TEST_P(guarded_kinds, the_keeper_of_a_killed_run_ends_its_session) {
    testing::process run{{.command = {TURNSTILE_PROGRAM, "run", "--session-timeout", "600s", path,
                                      "--", "sh", "-c", "echo in; sleep infinity"},
                          .environment = {"TURNSTILE_SERVERS=" + where},
                          .output = folder.path() / "run"}};
    ASSERT_TRUE(run.wait_for_output("in\n")) << run.output();
    EXPECT_FALSE(lock.try_acquire().has_value());
    run.kill();
    EXPECT_TRUE(granted(path));
}
#endif

// The test acts as the guardian of its client, and so reads the client's messages.
class told_kinds : public guarded_kinds {
protected:
    void SetUp() override {
        std::array<int, 2> ends{-1, -1};
        ASSERT_EQ(
            ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()),
            0);
        theirs_ = support::descriptor{ends[0]};
        ours_ = support::descriptor{ends[1]};
        const auto name = "fd:" + std::to_string(theirs_.get());
        ::setenv(k_guardian_variable, name.c_str(), 1);
        auto options = quick_options(600s);
        options.guardian.use = guardian_use::inherited;
        own = connect(where, options);
        ::unsetenv(k_guardian_variable);
    }
    // Returns the next message of this type, and fails the test if none comes.
    template <class Message>
    Message hear() {
        std::optional<Message> found;
        EXPECT_TRUE(eventually([&] {
            std::array<std::byte, guardian::k_longest_message> bytes;
            const auto got = ::recv(ours_.get(), bytes.data(), bytes.size(), 0);
            if (got <= 0) return false;
            const auto value =
                guardian::decode(std::span{bytes}.first(static_cast<std::size_t>(got)));
            if (!value) return false;
            const auto* const wanted = std::get_if<Message>(&*value);
            if (wanted != nullptr) found = *wanted;
            return wanted != nullptr;
        }));
        return found.value_or(Message{});
    }
    [[nodiscard]] bool end(const guardian::guard_module_session& which) const {
        const auto module = detail::module_of(which.servers).value();
        const auto done = module->end_session({which.servers, which.timeout, which.id, which.proof},
                                              boottime_clock::now() + limit());
        EXPECT_TRUE(done) << done.error().message();
        return done.has_value();
    }

    std::unique_ptr<client> own;

private:
    support::descriptor theirs_;
    support::descriptor ours_;
};

// A server that returned to older data gives out a session id again. So the guardian must compare the session's secret
// as well.
TEST_P(told_kinds, another_session_with_the_same_id_is_left_alone) {
    const auto told = hear<guardian::guard_module_session>();
    EXPECT_EQ(told.servers, where);
    EXPECT_EQ(told.timeout, 600s);
    EXPECT_EQ(told.id, own->session().id);
    mutex mine{*own, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    auto wrong = told;
    for (char& digit : wrong.proof)
        if (digit >= '1' && digit <= '8') ++digit;
    ASSERT_TRUE(end(wrong));
    wrong = told;
    wrong.id += 1;
    ASSERT_TRUE(end(wrong));
    EXPECT_EQ(queue_names(*others, path).size(), 1U);
    EXPECT_FALSE(hold->lost().stop_requested());
    EXPECT_FALSE(lock.try_acquire().has_value());
    ASSERT_TRUE(end(told));
    EXPECT_TRUE(granted(path));
    ASSERT_TRUE(end(told)) << "there is none any more, which is no failure";
}

TEST_P(told_kinds, a_closed_session_is_withdrawn) {
    const auto told = hear<guardian::guard_module_session>();
    EXPECT_EQ(own->counters().guardian, guardian_state::guarded);
    own.reset();
    EXPECT_EQ(hear<guardian::forget_module_session>().number, told.number);
}

TEST_P(told_kinds, a_client_that_requires_it_is_served) {
    auto options = quick_options();
    options.require.crash = crash_promise::at_once;
    EXPECT_THROW((client{where, options}), std::system_error);
    options.guardian = {guardian_use::started, TURNSTILE_GUARDIAN};
    const auto served = connect(where, options);
    EXPECT_EQ(served->promises().crash, crash_promise::at_once);
}

TEST_P(told_kinds, a_guardian_without_the_program_reports_it) {
    const auto alone = folder.path() / "turnstile-guardian";
    std::filesystem::copy_file(TURNSTILE_GUARDIAN, alone);
    own.reset();
    auto options = quick_options();
    options.guardian = {guardian_use::started, alone.string()};
    const auto served = connect(where, options);
    EXPECT_TRUE(
        eventually([&] { return served->counters().guardian == guardian_state::unguarded; }));
    EXPECT_EQ(served->promises().crash, crash_promise::session_timeout);
}

const kind k_kinds[]{
#ifdef TURNSTILE_WITH_REDIS
    {"redis", &started<testing::redis_server>},
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
    {"postgresql", &started<testing::postgres_server>},
#endif
#ifdef TURNSTILE_WITH_MARIADB
    {"mariadb", &started<testing::mariadb_server>},
#endif
};

INSTANTIATE_TEST_SUITE_P(each, guarded_kinds, ::testing::ValuesIn(k_kinds),
                         [](const auto& named) { return std::string{named.param.name}; });
INSTANTIATE_TEST_SUITE_P(each, told_kinds, ::testing::ValuesIn(k_kinds),
                         [](const auto& named) { return std::string{named.param.name}; });

}  // namespace
}  // namespace turnstile::tests
