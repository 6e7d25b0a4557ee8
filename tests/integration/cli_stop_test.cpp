// SPDX-License-Identifier: Apache-2.0
// Tests that a stop signal ends a command whose log has a thread.
#include <csignal>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

class cli_stop : public cli {};

// If only the log's thread left a signal unblocked, the kernel would give that thread the signal.
TEST_F(cli_stop, a_line_of_the_log_leaves_signals_to_the_program) {
    auto page = start_at("127.0.0.1:1", {TURNSTILE_PROGRAM, "serve", "--listen", "127.0.0.1:0"});
    ASSERT_TRUE(page.wait_for_output("no session with")) << output();
    ::kill(page.pid(), SIGTERM);
    ASSERT_TRUE(page.wait());
    EXPECT_EQ(page.exit_code(), 0) << output();
}

}  // namespace
}  // namespace turnstile::tests
