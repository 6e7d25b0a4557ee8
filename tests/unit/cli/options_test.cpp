// SPDX-License-Identifier: Apache-2.0
// Checks that the commands refuse invalid values before they contact a server. The message has the value and the rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

void expect_usage(const words& line, const std::string& sentence) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_command_line(line), k_usage);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(sentence));
}

words run_with(const std::string& option, const std::string& value) {
    return {"run",         "/locks/a", option, value, "--servers",
            "127.0.0.1:1", "--wait",   "1ms",  "--",  "true"};
}

TEST(options, a_duration_that_would_mean_nothing_names_its_bound) {
    for (const std::string option : {"--max-hold", "--once-per", "--connect-timeout", "--tick"})
        expect_usage(run_with(option, "0"), option + ": 0 s: expected at least 1 ms");
    expect_usage(run_with("--session-timeout", "99ms"),
                 "--session-timeout: 99 ms: expected at least 100 ms");
    expect_usage(run_with("--max-hold", "2200ms"),
                 "--max-hold: leaves the command no time: must be longer than 2.2 s");
    expect_usage({"watch", "/", "--interval", "0"}, "--interval: 0 s: expected at least 100 ms");
    expect_usage({"serve", "--refresh", "99ms"}, "--refresh: 99 ms: expected at least 100 ms");
}

TEST(options, a_number_of_servers_names_those_there_are) {
    for (const std::string count : {"2", "0", "99999999999999999999", "x"})
        expect_usage({"dev", "--count", count}, "--count: " + count + ": expected 1 or 3;");
}

TEST(options, a_number_to_show_is_one_from_1_on) {
    for (const std::string limit : {"0", "-1", "1.5", "x"})
        expect_usage({"show", "--limit", limit, "/a"},
                     "--limit: " + limit + ": expected a whole number of at least 1;");
}

TEST(options, forms_of_output_are_those_of_the_command) {
    expect_usage({"ls", "-o", "wide"}, "--output: wide: expected text or json;");
    expect_usage({"sessions", "-o", "xml"}, "--output: xml: expected text, wide or json;");
}

TEST(options, permits_name_both_forms) {
    expect_usage(run_with("--permits", "0"),
                 "0: expected N/M (N of the M permits, 1 <= N <= M), such as 1/4, or M");
}

TEST(options, an_exit_code_of_a_command_that_is_not_due_needs_a_period) {
    expect_usage(run_with("--not-due-exit-code", "3"), "--not-due-exit-code requires --once-per");
}

TEST(options, words_behind_dashes_are_read_or_named) {
    expect_usage({"ls", "--", "a"}, "path \"a\": must start with");
    expect_usage({"show", "/a", "--", "b"}, "'b' is one word too many;");
    expect_usage({"elect", "--listen", "/a", "--", "true"}, "--listen: takes no command: true");
}

TEST(options, in_front_of_a_command_are_named) {
    expect_usage({"--nope"}, "turnstile: there is no option '--nope' in front of a command");
    expect_usage({"--servers", "a:1", "ls"}, "there is no option '--servers' in front");
}

TEST(options, no_time_to_wait_is_one_try) {
    expect_usage({"run", "/locks/a", "--try", "--wait", "5s", "--", "true"},
                 "--try and --wait: exclude each other");
    ::testing::internal::CaptureStderr();
    EXPECT_NE(run_command_line({"run", "/locks/a", "--wait", "0", "--servers", "127.0.0.1:1",
                                "--connect-timeout", "1ms", "--", "true"}),
              k_usage);
    EXPECT_THAT(
        ::testing::internal::GetCapturedStderr(),
        AllOf(HasSubstr("127.0.0.1:1"),
              HasSubstr("; turnstile waited 1 ms for a server (--connect-timeout, which --try does "
                        "not shorten)")));
}

TEST(options, a_wait_includes_the_wait_for_a_server) {
    const auto said = [](const words& limits) {
        words line{"run", "/locks/a", "--servers", "127.0.0.1:1"};
        line.insert(line.end(), limits.begin(), limits.end());
        line.insert(line.end(), {"--", "true"});
        ::testing::internal::CaptureStderr();
        EXPECT_EQ(run_command_line(line), k_no_server);
        return ::testing::internal::GetCapturedStderr();
    };
    EXPECT_THAT(said({"--wait", "2ms", "--connect-timeout", "1h"}),
                HasSubstr("; turnstile waited 2 ms for a server (--wait)\n"));
    EXPECT_THAT(said({"--wait", "1h", "--connect-timeout", "2ms"}),
                HasSubstr("; turnstile waited 2 ms for a server (--connect-timeout)\n"));
}

}  // namespace
}  // namespace turnstile::cli
