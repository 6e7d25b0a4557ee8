// SPDX-License-Identifier: Apache-2.0
// Tests the Java programs that represent users' existing clients.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "kit/zk_client.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace {

using namespace turnstile::testing;
using kit_test::zk_client;

class curator_test : public ::testing::Test {
protected:
    static void SetUpTestSuite() { servers = std::make_unique<ensemble>(); }
    static void TearDownTestSuite() { servers.reset(); }

    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return folder_.path() / name;
    }
    [[nodiscard]] process contend(const char* lock, const char* grants, const char* log) const {
        return contender_.start(
            {"contend", servers->connect_string(), lock, grants, folder_.path()}, file(log));
    }

    static std::unique_ptr<ensemble> servers;
    temporary_folder folder_;
    java_program contender_{"CuratorContender", TURNSTILE_JAVA_CLASSES};
};

std::unique_ptr<ensemble> curator_test::servers;

TEST_F(curator_test, takes_turns_with_another) {
    auto first = contend("/locks/turns", "20", "first");
    auto second = contend("/locks/turns", "20", "second");
    ASSERT_TRUE(first.wait() && second.wait());
    EXPECT_EQ(first.exit_code(), 0) << first.output();
    EXPECT_EQ(second.exit_code(), 0) << second.output();
    EXPECT_NE(first.output().find("READY"), std::string::npos);
    int count = 0;
    std::ifstream{file("counter")} >> count;
    EXPECT_EQ(count, 40);
    EXPECT_NE((first.output() + second.output()).find("granted 40\n"), std::string::npos);
}

// The file "writer" shows that a program is in the critical section. This test writes the file without Curator's lock.
TEST_F(curator_test, tells_of_a_violation) {
    std::ofstream{file("writer")} << "somebody else";
    auto contender = contend("/locks/violated", "1", "log");
    ASSERT_TRUE(contender.wait());
    EXPECT_EQ(contender.exit_code(), 3);
    EXPECT_NE(contender.output().find("violation: a writer meets somebody else"), std::string::npos)
        << contender.output();
}

TEST_F(curator_test, waits_for_the_node_ahead_and_shows_it) {
    zk_client client{servers->connect_string()};
    ASSERT_EQ(client.create("/queue"), ZOK);
    std::string ours;
    ASSERT_EQ(client.create("/queue/_c_0b2e4d6c-8f1a-4c3e-9d7b-5a6f8e9c0d1b-lock-",
                            ZOO_SEQUENCE | ZOO_EPHEMERAL, &ours),
              ZOK);
    auto contender = contend("/queue", "1", "log");
    ASSERT_TRUE(eventually([&] { return client.children("/queue").size() == 2; }));
    EXPECT_EQ(contender.output().find("granted"), std::string::npos);

    const auto shown = contender_.run({"participants", servers->connect_string(), "/queue"});
    const auto at = shown.find("participant " + ours + " data\n");
    EXPECT_NE(at, std::string::npos) << shown;
    EXPECT_NE(shown.find("participant /queue/_c_", at + 1), std::string::npos) << shown;

    ASSERT_EQ(client.remove(ours), ZOK);
    EXPECT_TRUE(contender.wait());
    EXPECT_EQ(contender.exit_code(), 0) << contender.output();
}

TEST_F(curator_test, reports_how_a_program_failed) {
    try {
        contender_.run({"nonsense"});
        FAIL() << "it succeeded";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string{e.what()}.find("usage:"), std::string::npos) << e.what();
    }
    EXPECT_THROW((java_program{"NoSuchProgram", TURNSTILE_JAVA_CLASSES}), std::runtime_error);
}

}  // namespace
