// SPDX-License-Identifier: Apache-2.0
// Tests the parts of `turnstile run` that need no server: exit codes, durations, permits, and when signals are sent.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "cli/duration.hpp"
#include "cli/exit_code.hpp"
#include "cli/keeping_options.hpp"
#include "cli/run_options.hpp"
#include "cli/servers.hpp"
#include "cli/status_pipe.hpp"
#include "cli/supervision.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::cli {
namespace {

using namespace std::chrono_literals;
using action = supervision::action;

boottime_clock::time_point at(boottime_clock::duration since_boot) {
    return boottime_clock::time_point{since_boot};
}

int exited(int code) {
    return code << 8;
}

TEST(exit_code, a_lost_hold_is_never_success) {
    EXPECT_EQ(exit_code_of_command(exited(0), true), k_lost);
    EXPECT_EQ(exit_code_of_command(exited(3), true), k_lost);
    EXPECT_EQ(exit_code_of_command(SIGKILL, true), k_lost);
}

TEST(exit_code, the_command_decides_under_a_hold_that_lasted) {
    EXPECT_EQ(exit_code_of_command(exited(0), false), 0);
    EXPECT_EQ(exit_code_of_command(exited(3), false), 3);
    EXPECT_EQ(exit_code_of_command(SIGSEGV, false), 128 + SIGSEGV);
}

TEST(exit_code, errors_of_the_library_have_codes_of_their_own) {
    EXPECT_EQ(exit_code_of(errc::busy), 75);
    EXPECT_EQ(exit_code_of(errc::timeout), 75);
    EXPECT_EQ(exit_code_of(errc::not_connected), 69);
    EXPECT_EQ(exit_code_of(errc::session_lost), 76);
    EXPECT_EQ(exit_code_of(errc::no_permission), 77);
    EXPECT_EQ(exit_code_of(errc::bad_path), 64);
    EXPECT_EQ(exit_code_of_exec(ENOENT), 127);
    EXPECT_EQ(exit_code_of_exec(EACCES), 126);
}

TEST(duration, units_and_fractions) {
    EXPECT_EQ(parse_duration("500ms"), 500ms);
    EXPECT_EQ(parse_duration("2.5s"), 2500ms);
    EXPECT_EQ(parse_duration("7"), 7s);
    EXPECT_EQ(parse_duration("5m"), 5min);
    EXPECT_EQ(parse_duration("2h"), 2h);
}

TEST(duration, what_is_none) {
    for (const char* text : {"", "-1s", "s", "5 s", "5x", "1e3s", "nan", "inf", "400000d"})
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(permits, taken_and_limit) {
    EXPECT_EQ(parse_permits("2/5").taken, 2);
    EXPECT_EQ(parse_permits("2/5").limit, 5);
    EXPECT_EQ(parse_permits("5").taken, 1);
    for (const char* text : {"0/5", "6/5", "x", "1/", "/3", "-1/3", "1/3x"})
        EXPECT_THROW(static_cast<void>(parse_permits(text)), CLI::ValidationError) << text;
}

run_options with_command() {
    run_options options;
    options.paths = {"/locks/a"};
    options.keeping.command = {"true"};
    return options;
}

TEST(run_options, the_label_is_the_command_unless_one_is_given) {
    auto options = with_command();
    finish(options);
    EXPECT_EQ(options.label, "true");
    options.label = "nightly";
    finish(options);
    EXPECT_EQ(options.label, "nightly");
}

TEST(run_options, what_does_not_go_together) {
    auto none = with_command();
    none.keeping.command.clear();
    EXPECT_THROW(finish(none), CLI::ParseError);
    auto delayed = with_command();
    delayed.lock_delay = 1s;
    finish(delayed);
    delayed.kind = wanted_kind::exclusive;
    EXPECT_THROW(finish(delayed), CLI::ValidationError);
    auto once = with_command();
    once.once_per = 1h;
    finish(once);
    once.kind = wanted_kind::shared;
    EXPECT_THROW(finish(once), CLI::ValidationError);
    auto again = with_command();
    again.reenter = true;
    finish(again);
    again.max_hold = 1h;
    EXPECT_THROW(finish(again), CLI::ValidationError);
    auto both = with_command();
    both.try_only = true;
    both.wait = 1s;
    EXPECT_THROW(finish(both), CLI::ValidationError);
}

TEST(run_options, a_shell_gets_one_line) {
    run_options options;
    options.keeping.command = {"sort", "a", ">", "b"};
    options.keeping.shell = true;
    finish(options);
    EXPECT_EQ(options.keeping.command, (std::vector<std::string>{"/bin/sh", "-c", "sort a > b"}));
}

TEST(supervision, sigterm_comes_a_grace_before_sigkill_and_both_before_the_end) {
    supervision watched{lost_policy::terminate, 2s};
    watched.confirmed_until(at(10s));
    ASSERT_TRUE(watched.next());
    EXPECT_EQ(*watched.next(), at(10s - 2s - k_kill_margin));
    EXPECT_EQ(watched.due(at(7s)), action::none);
    EXPECT_EQ(watched.due(*watched.next()), action::terminate);
    EXPECT_EQ(*watched.next(), at(10s - k_kill_margin));
    EXPECT_EQ(watched.due(at(9s)), action::none);
    EXPECT_EQ(watched.due(*watched.next()), action::kill);
    EXPECT_EQ(watched.next(), std::nullopt);
    EXPECT_EQ(watched.due(at(20s)), action::none);
    EXPECT_TRUE(watched.intervened());
}

TEST(supervision, a_confirmation_puts_the_signals_off) {
    supervision watched{lost_policy::terminate, 2s};
    watched.confirmed_until(at(10s));
    watched.confirmed_until(at(20s));
    EXPECT_EQ(watched.due(at(10s)), action::none);
    EXPECT_FALSE(watched.intervened());
}

TEST(supervision, a_confirmation_after_sigterm_spares_nothing) {
    supervision watched{lost_policy::terminate, 2s};
    watched.confirmed_until(at(10s));
    EXPECT_EQ(watched.due(at(8s)), action::terminate);
    watched.confirmed_until(at(20s));
    EXPECT_EQ(watched.due(at(10s)), action::kill);
}

TEST(supervision, what_ends_a_hold_is_its_lease_or_its_longest_time) {
    EXPECT_TRUE(is_end_of(at(10s), at(10s)));
    EXPECT_TRUE(is_end_of(at(10s), at(10s - 20ms)));  // the process noticed the end 20 ms later
    EXPECT_FALSE(is_end_of(at(10s), at(9s)));
}

TEST(supervision, a_hold_that_is_over_is_killed_at_once) {
    supervision watched{lost_policy::terminate, 2s};
    watched.confirmed_until(at(100s));
    watched.hold_over();
    EXPECT_EQ(watched.due(at(1s)), action::kill);
}

TEST(supervision, the_policies_kill_and_none_send_no_sigterm) {
    supervision killed{lost_policy::kill, 2s};
    killed.confirmed_until(at(10s));
    EXPECT_EQ(killed.due(at(9s)), action::none);
    EXPECT_EQ(killed.due(at(10s)), action::kill);
    supervision spared{lost_policy::none, 2s};
    spared.confirmed_until(at(10s));
    spared.hold_over();
    EXPECT_EQ(spared.due(at(11s)), action::none);
    EXPECT_EQ(spared.next(), std::nullopt);
}

// The session extends its lease every fifteenth of the timeout, and an extension may be two fifteenths late.
TEST(supervision, the_longest_grace_is_what_is_left_before_a_late_confirmation) {
    EXPECT_EQ(longest_grace({15s, 0s, 0.0}), 15s - 3s - k_kill_margin);
    EXPECT_EQ(longest_grace({30s, 12s, 0.001}), 30s - 30ms - 12s - 6s - k_kill_margin);
    EXPECT_EQ(longest_grace({10s, 12s, 0.0}), 0s);
}

TEST(grace_check, names_the_numbers) {
    auto options = with_command();
    constexpr assumed_pace k_sample{2s, 5};
    EXPECT_TRUE(check_grace(options.keeping, k_sample, 30s));
    const auto refused = check_grace(options.keeping, k_sample, 10s);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::bad_option);
    EXPECT_NE(refused.error().message().find("a session timeout of 10s"), std::string::npos);
    EXPECT_NE(refused.error().message().find("is too short"), std::string::npos);
    const auto long_grace = check_grace(options.keeping, k_sample, 17s);
    ASSERT_FALSE(long_grace);
    EXPECT_NE(long_grace.error().message().find("--grace 2s is too long"), std::string::npos);
    options.keeping.on_lost = lost_policy::kill;
    EXPECT_TRUE(check_grace(options.keeping, k_sample, 10s));
}

TEST(assumed_pace, is_what_is_said_then_what_is_told_then_the_samples) {
    server_settings settings;
    const server_configuration told{.tick = 3s, .sync_limit = 4};
    EXPECT_EQ(pace_of(settings, {}, 30s), (assumed_pace{2s, 5}));
    EXPECT_EQ(pace_of(settings, told, 30s), (assumed_pace{3s, 4}));
    // A standalone server reports no syncLimit, so the default of 5 applies.
    EXPECT_EQ(pace_of(settings, server_configuration{.tick = 200ms}, 30s),
              (assumed_pace{200ms, 5}));
    EXPECT_EQ(pace_of(settings, {}, 50s), (assumed_pace{25s, 5}));
    settings.session_timeout = 60s;
    EXPECT_EQ(pace_of(settings, {}, 60s), (assumed_pace{3s, 5}));
    settings.tick = 500ms;
    EXPECT_FALSE(says_pace(settings));
    EXPECT_EQ(pace_of(settings, told, 60s), (assumed_pace{500ms, 4}));
    settings.sync_limit = 7;
    EXPECT_TRUE(says_pace(settings));
    EXPECT_EQ(pace_of(settings, told, 60s), (assumed_pace{500ms, 7}));
}

TEST(status_line, hostile_text_stays_inside_its_string) {
    EXPECT_EQ(asked_line({"o\"ps\u00e4", "a\nb\x1b\x80\\"}),
              "{\"event\":\"asked_to_release\",\"who\":\"o\\\"ps\\u00e4\","
              "\"why\":\"a\\nb\\u001b\\ufffd\\\\\"}\n");
    EXPECT_EQ(confirmed_line(at(5ns)), "{\"event\":\"confirmed\",\"valid_until\":5}\n");
}

// A write of up to PIPE_BUF bytes to a pipe is atomic. So the reader gets the whole line or nothing.
TEST(status_line, long_text_is_cut) {
    const std::string longest(1'024, '\x01');
    EXPECT_LE(asked_line({longest, longest}).size(), 4'096U);
}

TEST(servers, have_to_be_there_and_shared) {
    for (const auto* const wrong : {"", "local:", "local:name/chroot"}) {
        server_settings settings{.servers = wrong, .on_command_line = true};
        EXPECT_THROW(settle_servers(settings), std::runtime_error) << wrong;
    }
    server_settings settings{.servers = "zk1:2181", .on_command_line = true};
    settle_servers(settings);
    EXPECT_EQ(settings.servers, "zk1:2181");
}

TEST(servers, of_zookeeper_with_and_without_a_scheme) {
    for (const auto* const with : {"zk1:2181,zk2:2181/shop", "zookeeper://zk1,zk2/shop",
                                   "zookeeper://zk1/shop?sasl_user=ann&sasl_password_file=/a/b",
                                   "zookeepers://zk1:2281/shop?ca_file=/etc/ca.crt"}) {
        EXPECT_TRUE(is_zookeeper({.servers = with})) << with;
        EXPECT_EQ(chroot_of({.servers = with}), "/shop") << with;
    }
    for (const auto* const without :
         {"zk1:2181", "zk1/", "zookeeper://zk1", "zookeepers://zk1/?ca_file=/etc/ca.crt",
          "zookeeper://zk1?sasl_password_file=/a/b"})
        EXPECT_EQ(chroot_of({.servers = without}), "") << without;
    for (const auto* const other : {"redis://host/shop", "sqlite:/a", "postgresql://host/shop"})
        EXPECT_FALSE(is_zookeeper({.servers = other})) << other;
}

class servers_in_the_environment : public ::testing::Test {
protected:
    servers_in_the_environment() {
        for (const auto* const each : {"TURNSTILE_SERVERS", "TURNSTILE_SERVERS_FILE"})
            if (const char* const text = std::getenv(each)) before[each] = text;
        ::unsetenv("TURNSTILE_SERVERS");
        ::setenv("TURNSTILE_SERVERS_FILE", file.c_str(), 1);
        write("redis://:of-the-file@h\nnothing more\n");
    }
    ~servers_in_the_environment() override {
        for (const auto* const each : {"TURNSTILE_SERVERS", "TURNSTILE_SERVERS_FILE"})
            ::unsetenv(each);
        for (const auto& [name, text] : before) ::setenv(name.c_str(), text.c_str(), 1);
    }
    void write(const std::string& text, mode_t mode = 0600) const {
        std::ofstream{file} << text;
        ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    }
    static std::string settled(server_settings settings = {}) {
        settle_servers(settings);
        return settings.servers;
    }

    const testing::temporary_folder folder;
    const std::string file = (folder.path() / "servers").string();
    std::map<std::string, std::string> before;
};

TEST_F(servers_in_the_environment, outrank_each_other) {
    EXPECT_EQ(settled(), "redis://:of-the-file@h");
    ::setenv("TURNSTILE_SERVERS", "", 1);
    EXPECT_EQ(settled(), "redis://:of-the-file@h");
    ::setenv("TURNSTILE_SERVERS", "zk1:2181", 1);
    EXPECT_EQ(settled(), "zk1:2181");
    EXPECT_EQ(settled({.servers_file = file}), "redis://:of-the-file@h");
    EXPECT_EQ(settled({.servers = "zk2:2181", .on_command_line = true}), "zk2:2181");
}

TEST_F(servers_in_the_environment, are_read_from_a_file_that_only_its_owner_opens) {
    for (const mode_t open : {0640U, 0604U, 0660U}) {
        write("zk1:2181", open);
        EXPECT_THROW(static_cast<void>(settled()), std::runtime_error) << open;
    }
    write("\n");
    EXPECT_THROW(static_cast<void>(settled()), std::runtime_error);
    EXPECT_THROW(static_cast<void>(settled({.servers_file = "/nonexistent/file"})),
                 std::runtime_error);
}

TEST_F(servers_in_the_environment, stay_there_unless_they_have_a_password) {
    ::setenv("TURNSTILE_SERVERS", "redis://user@h", 1);
    EXPECT_EQ(settled(), "redis://user@h");
    EXPECT_STREQ(std::getenv("TURNSTILE_SERVERS"), "redis://user@h");
    ::setenv("TURNSTILE_SERVERS", "redis://user:secret@h", 1);
    EXPECT_EQ(settled({.servers = "zk1:2181", .on_command_line = true}), "zk1:2181");
    EXPECT_EQ(std::getenv("TURNSTILE_SERVERS"), nullptr);
}

TEST(credentials, are_read_from_a_file_that_only_its_owner_opens) {
    const testing::temporary_folder folder;
    const auto file = (folder.path() / "credentials").string();
    EXPECT_THROW(static_cast<void>(read_credentials(file)), std::runtime_error);
    std::ofstream{file} << "shop:secret\n";
    ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
    EXPECT_THROW(static_cast<void>(read_credentials(file)), std::runtime_error);
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    EXPECT_EQ(read_credentials(file), "shop:secret");
}

}  // namespace
}  // namespace turnstile::cli
