// SPDX-License-Identifier: Apache-2.0
// Tests that no server and no data remain after the test's process was killed.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <system_error>

#include "kit/support.hpp"
#include "turnstile/testing/four_letter_word.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace {

using namespace turnstile::testing;

bool answers(std::uint16_t port) {
    try {
        return four_letter_word("127.0.0.1", port, "ruok") == "imok";
    } catch (const std::system_error&) {
        return false;
    }
}

TEST(server_death_test, sigkill_of_the_test_ends_its_servers) {
    kit_test::victim victim{"servers"};
    ASSERT_TRUE(victim.ready()) << victim.output();
    const std::filesystem::path data = kit_test::line_after(victim.output(), "data");
    const auto address = kit_test::line_after(victim.output(), "address");
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
    ASSERT_TRUE(answers(port));
    ASSERT_TRUE(std::filesystem::exists(data));

    ASSERT_TRUE(victim.die());

    EXPECT_TRUE(eventually([&] { return !answers(port); }));
    EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(data.parent_path()); }));
    EXPECT_TRUE(
        eventually([&] { return !std::filesystem::exists(data.parent_path().parent_path()); }));
}

}  // namespace
