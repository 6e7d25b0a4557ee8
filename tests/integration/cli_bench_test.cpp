// SPDX-License-Identifier: Apache-2.0
// Tests that `turnstile bench` on a real server prints its measurements and leaves no znode.
#include <csignal>

#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

using nlohmann::json;

class cli_bench : public cli {
protected:
    [[nodiscard]] words bench(const words& options) const {
        return words{TURNSTILE_PROGRAM, "bench", "--yes", "-o", "json", "--path", path} + options;
    }
    [[nodiscard]] bool is_gone() const {
        return read_node(*observer, path).error() == errc::no_node;
    }
};

TEST_F(cli_bench, says_numbers_and_leaves_nothing) {
    ASSERT_EQ(code_of(bench({"--seconds", "1", "--clients", "2"})), 0) << output();
    const auto said = json::parse(output());
    EXPECT_GT(said.at("grants"), 0) << said;
    EXPECT_EQ(said.at("acquire").at("count"), said.at("grants"));
    EXPECT_LE(said.at("acquire").at("p50_ms"), said.at("acquire").at("max_ms"));
    EXPECT_LE(said.at("hand_over").at("count"), said.at("grants"));
    EXPECT_GT(said.at("packets_received"), 0);
    EXPECT_TRUE(is_gone());
}

TEST_F(cli_bench, an_interrupted_one_cleans_up) {
    auto running = start(bench({"--seconds", "600"}));
    ASSERT_TRUE(eventually([this] {
        return !locks_below(*observer, path, {.timeout = limit()}).value().locks.empty();
    }));
    ::kill(running.pid(), SIGINT);
    ASSERT_TRUE(running.wait());
    EXPECT_EQ(running.exit_code(), 128 + SIGINT) << output();
    EXPECT_TRUE(json::parse(output()).contains("grants"));
    EXPECT_TRUE(is_gone());
}

TEST_F(cli_bench, a_folder_that_was_there_stays) {
    mutex lock{*observer, path + "/other"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_EQ(code_of(bench({"--seconds", "1", "--clients", "1"})), 0) << output();
    EXPECT_TRUE(read_node(*observer, path));
    const auto left = locks_below(*observer, path, {.timeout = limit()}).value();
    EXPECT_EQ(left.locks.size(), 1U);
}

TEST_F(cli_bench, asks_on_a_terminal) {
    const auto bench_at_terminal = std::string{TURNSTILE_PROGRAM} + " bench --path " + path;
    auto asked = start({"sh", "-c", "echo n | script -qec '" + bench_at_terminal + "' /dev/null"},
                       {"SHELL=/bin/sh"});
    ASSERT_TRUE(asked.wait());
    EXPECT_EQ(asked.exit_code(), 64) << output();
    EXPECT_TRUE(printed("with 4 clients that acquire the lock " + path + "? [y/N]")) << output();
    EXPECT_TRUE(printed("nothing was done")) << output();
    EXPECT_TRUE(is_gone());
}

TEST_F(cli_bench, wrong_words_and_no_answer) {
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "bench"}), 64) << "no terminal, no --yes";
    EXPECT_EQ(code_of(bench({"--seconds", "0"})), 64);
    EXPECT_EQ(code_of(bench({"--clients", "1000"})), 64);
    EXPECT_EQ(code_of(bench({"--servers", "127.0.0.1:1", "--connect-timeout", "200ms"})), 69);
    EXPECT_TRUE(is_gone());
}

}  // namespace
}  // namespace turnstile::tests
