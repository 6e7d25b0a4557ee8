// SPDX-License-Identifier: Apache-2.0
// Tests the commands on a host whose limits are exhausted (failing_host.cpp). Each command must end at once and name
// the cause.
#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

const std::string k_preload = std::string{"LD_PRELOAD="} + TURNSTILE_FAILING_HOST;

class cli_host : public cli {
protected:
    // Starts the program, waits until it works, and then makes each large `new` fail.
    void expect_end_without_memory(const words& program, const std::string& works) {
        const auto exhausted = file("exhausted");
        auto running = start(program, {k_preload, "TURNSTILE_TEST_MEMORY=" + exhausted});
        ASSERT_TRUE(running.wait_for_output(works)) << output();
        std::ofstream{exhausted}.close();
        EXPECT_TRUE(running.wait()) << "neither works nor ends";
        EXPECT_TRUE(printed("turnstile: out of memory")) << output();
        EXPECT_FALSE(printed("terminate called")) << output();
    }
};

TEST_F(cli_host, without_threads_is_named) {
    const words serve{TURNSTILE_PROGRAM, "serve", "--listen", "127.0.0.1:0"};
    EXPECT_EQ(code_of(serve, {k_preload, "TURNSTILE_TEST_THREADS=1"}), 69);
    EXPECT_TRUE(printed("turnstile: cannot start a thread: ")) << output();
    EXPECT_TRUE(printed("raise the limit of memory (ulimit -v)")) << output();
}

TEST_F(cli_host, without_memory_ends_the_page_with_a_sentence) {
    expect_end_without_memory({TURNSTILE_PROGRAM, "serve", "--listen", "127.0.0.1:0"}, "http://");
}

TEST_F(cli_host, without_memory_ends_a_leader_and_its_command) {
    const words elect{
        TURNSTILE_PROGRAM, "elect", "--session-timeout", "4s", "--grace", "100ms", path, "--"};
    expect_end_without_memory(elect + stubborn("leads"), "leads");
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(cli_host, without_memory_ends_a_run_and_its_command) {
    expect_end_without_memory(
        run({"--session-timeout", "4s", "--grace", "100ms", path}, stubborn("holds")), "holds");
    EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace turnstile::tests
