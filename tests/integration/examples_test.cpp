// SPDX-License-Identifier: Apache-2.0
// Tests that each example prints the content of its .expected file, in memory and on a real server. Also runs
// README.md's example unchanged.
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace {

using turnstile::testing::ensemble;
using turnstile::testing::process;
using turnstile::testing::temporary_folder;

// Returns the example's output, followed by its exit status unless that is 0.
std::string output_of(const std::string& example, std::vector<std::string> arguments) {
    const temporary_folder folder;
    arguments.insert(arguments.begin(), std::string{TURNSTILE_EXAMPLES_BUILD} + '/' + example);
    process program{{.command = std::move(arguments), .output = folder.path() / "output"}};
    if (!program.wait()) return program.output() + "(did not end)";
    if (program.exit_code() == 0) return program.output();
    return program.output() + "(exit code " + std::to_string(*program.exit_code()) + ')';
}

std::string expected_of(const std::string& example) {
    std::ifstream file{std::string{TURNSTILE_EXAMPLES_SOURCE} + '/' + example + ".expected"};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

class examples : public testing::TestWithParam<const char*> {
protected:
    static void SetUpTestSuite() { servers = std::make_unique<ensemble>(); }
    static void TearDownTestSuite() { servers.reset(); }

    static std::unique_ptr<ensemble> servers;
};
std::unique_ptr<ensemble> examples::servers;

TEST_P(examples, print_what_is_expected_against_a_server) {
    EXPECT_EQ(output_of(GetParam(), {servers->connect_string()}), expected_of(GetParam()));
}

TEST_P(examples, print_what_is_expected_in_memory) {
    EXPECT_EQ(output_of(GetParam(), {}), expected_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(all, examples,
                         testing::Values("quick_start", "fencing", "guarded_write", "multi_lock",
                                         "quorum_lock", "path_template", "coroutine", "deadlock",
                                         "fenced_sqlite", "election", "semaphore", "shared_mutex",
                                         "shutdown", "from_curator", "from_redisson", "from_etcd",
                                         "from_kazoo", "from_std_mutex"),
                         [](const auto& parameter) { return std::string{parameter.param}; });

#ifdef TURNSTILE_EXAMPLE_WITH_INTERRUPTION
INSTANTIATE_TEST_SUITE_P(with_interruption, examples, testing::Values("cancellation"),
                         [](const auto& parameter) { return std::string{parameter.param}; });
#endif

#ifdef TURNSTILE_EXAMPLE_WITH_ASIO
INSTANTIATE_TEST_SUITE_P(with_asio, examples, testing::Values("asio"),
                         [](const auto& parameter) { return std::string{parameter.param}; });
#endif

#ifdef TURNSTILE_EXAMPLE_WITH_REDIS
TEST(redis_fence, prints_what_is_expected) {
    turnstile::testing::redis_server server;
    server.start();
    EXPECT_EQ(output_of("redis_fence", {server.connect_string()}), expected_of("redis_fence"));
}
#endif

#ifdef TURNSTILE_EXAMPLE_WITH_SQLITE
TEST(sql_fence, prints_what_is_expected) {
    EXPECT_EQ(output_of("sql_fence", {}), expected_of("sql_fence"));
}
#endif

TEST(scraped, reads_its_own_page) {
    EXPECT_EQ(output_of("scraped", {}), expected_of("scraped"));
}

TEST(readme, example_takes_the_lock) {
    EXPECT_EQ(output_of("from_readme", {}).rfind("held, token 0x", 0), 0U);
}

}  // namespace
