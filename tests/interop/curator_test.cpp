// SPDX-License-Identifier: Apache-2.0
// Tests a real Curator process and this library on one path: their contenders exclude each other, in one queue.
#include <future>

#include "interop/support.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_grants = 100;  // Curator's grants; the library's threads run until these end

class curator : public ::testing::Test {
protected:
    const std::string path = lock_path();
    const testing::temporary_folder folder;
    const critical_section section{folder.path()};
    const testing::java_program program{"CuratorContender", TURNSTILE_JAVA_CLASSES};
    const std::unique_ptr<client> servers = connect(server().connect_string());
    mutex lock{*servers, path};
};

TEST_F(curator, and_we_exclude_each_other_over_200_grants) {
    auto hold = lock.acquire({.timeout = limit()});
    auto theirs = program.start(
        {"contend", server().connect_string(), path, std::to_string(k_grants), folder.path()},
        folder.path() / "log");
    ASSERT_TRUE(theirs.wait_for_output("READY")) << theirs.output();
    take_turns(lock, std::move(hold), theirs, section, k_grants);
    EXPECT_TRUE(becomes_empty(*servers, path));
}

TEST_F(curator, waits_for_us_and_we_wait_for_it) {
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    auto theirs = program.start({"contend", server().connect_string(), path, "1", folder.path()},
                                folder.path() / "log");
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    auto waiting = std::async(std::launch::async, [&] { return lock.acquire(); });
    ASSERT_TRUE(becomes_size(*servers, path, 3));
    EXPECT_EQ(theirs.output().find("granted"), std::string::npos);
    hold->unlock();
    ASSERT_TRUE(waiting.get().has_value());
    EXPECT_NE(theirs.output().find("granted 1"), std::string::npos) << theirs.output();
}

TEST_F(curator, shows_who_holds_in_readable_text) {
    const auto hold = lock.acquire({.timeout = limit(), .label = "orders"});
    ASSERT_TRUE(hold);
    const auto shown = program.run({"participants", server().connect_string(), path});
    EXPECT_NE(shown.find("host="), std::string::npos) << shown;
    EXPECT_NE(shown.find("label=orders"), std::string::npos) << shown;
}

}  // namespace
}  // namespace turnstile::tests
