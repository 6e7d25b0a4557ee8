// SPDX-License-Identifier: Apache-2.0
// A value that an option cannot have is refused by the command itself, with the value and the rule: no server is asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

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
        expect_usage(run_with(option, "0"), option + ": 0 ms: expected at least 1 ms");
    expect_usage(run_with("--session-timeout", "99ms"),
                 "--session-timeout: 99 ms: expected at least 100 ms");
    expect_usage(run_with("--max-hold", "2200ms"),
                 "--max-hold: leaves the command no time: it has to be longer than 2200ms");
    expect_usage({"watch", "/", "--interval", "0"}, "--interval: 0 ms: expected at least 1 ms");
}

TEST(options, a_number_of_servers_names_those_there_are) {
    for (const std::string count : {"2", "0", "99999999999999999999", "x"})
        expect_usage({"dev", "--count", count}, "--count: " + count + " not in {1,3}");
}

TEST(options, no_time_to_wait_is_one_try) {
    expect_usage({"run", "/locks/a", "--try", "--wait", "5s", "--", "true"},
                 "--try and --wait: exclude each other");
    ::testing::internal::CaptureStderr();
    EXPECT_NE(run_command_line({"run", "/locks/a", "--wait", "0", "--servers", "127.0.0.1:1",
                                "--connect-timeout", "1ms", "--", "true"}),
              k_usage);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("127.0.0.1:1"));
}

}  // namespace
}  // namespace turnstile::cli
