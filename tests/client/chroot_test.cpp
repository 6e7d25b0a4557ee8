// SPDX-License-Identifier: Apache-2.0
// Tests a chroot that does not exist: the error names the option that creates it, or the client creates the chroot.
#include <gmock/gmock.h>

#include <vector>

#include "support.hpp"
#include "turnstile/tools/make_folder.hpp"

namespace turnstile::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class chroot : public shell_test {
protected:
    const std::string below = where + "/shop/eu";
    std::unique_ptr<client> outside = connect();
};

// The error must not name `turnstile mkdir`: for `local:`, the command would have another tree than this process.
TEST_F(chroot, that_is_missing_is_named_with_what_creates_it) {
    client inside{below};
    const auto names_the_option = AllOf(HasSubstr(below), Not(HasSubstr("turnstile mkdir")),
                                        HasSubstr("client_options::create_chroot"));
    EXPECT_EQ(inside.wait_connected(limit()).error(), errc::no_chroot);
    EXPECT_THAT(inside.wait_connected(limit()).error().message(), names_the_option);
    mutex lock{inside, "/lock"};
    EXPECT_THAT(lock.acquire(limit()).error().message(), names_the_option);
    EXPECT_THAT(lock.queue().error().message(), names_the_option);
    EXPECT_EQ(read_node(*outside, "/shop").error(), errc::no_node) << "nothing was created";
}

TEST_F(chroot, is_created_before_the_first_session) {
    client inside{below, {.create_chroot = true}};
    mutex lock{inside, "/lock"};
    const auto hold = lock.acquire(limit());
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(mutex(*outside, "/shop/eu/lock").is_locked().value());
    EXPECT_FALSE(read_node(*outside, "/shop/eu").value().ephemeral);
}

TEST_F(chroot, is_created_by_the_first_of_several_sessions_and_clients) {
    const client_options creating{.create_chroot = true, .sessions = 4};
    std::vector<std::unique_ptr<client>> all;
    for (int i = 0; i != 8; ++i) all.push_back(std::make_unique<client>(below, creating));
    for (const auto& each : all) EXPECT_TRUE(each->wait_connected(limit()));
}

TEST_F(chroot, that_is_there_is_left_as_it_is) {
    ASSERT_TRUE(make_folder(*outside, "/shop/eu"));
    auto hold = mutex(*outside, "/lock").acquire(limit());
    ASSERT_TRUE(hold->commit(transaction{}.put("/shop", "ours").put("/shop/eu", "ours, too")));
    client inside{below, {.create_chroot = true}};
    EXPECT_TRUE(inside.wait_connected(limit()));
    EXPECT_EQ(read_node(*outside, "/shop/eu").value().data, "ours, too");
    EXPECT_EQ(read_node(*outside, "/shop").value().data, "ours");
}

TEST_F(chroot, waits_for_servers_and_a_client_that_closes_does_not) {
    faults.refuse_connections();
    {
        client inside{below, {.create_chroot = true}};
        EXPECT_EQ(inside.wait_connected(std::chrono::milliseconds{1}).error(), errc::not_connected);
    }
    client inside{below, {.create_chroot = true}};
    faults.allow_connections();
    EXPECT_TRUE(inside.wait_connected(limit()));
}

TEST_F(chroot, without_one_there_is_nothing_to_create) {
    EXPECT_TRUE(connect({.create_chroot = true}));
}

// ---- folders --------------------------------------------------------------------------------

TEST_F(chroot, a_folder_is_made_with_those_above_it_and_once) {
    ASSERT_TRUE(make_folder(*outside, "/a/b/c"));
    auto hold = mutex(*outside, "/lock").acquire(limit());
    ASSERT_TRUE(hold->commit(transaction{}.set("/a/b", "data")));
    EXPECT_TRUE(make_folder(*outside, "/a/b/c"));
    EXPECT_TRUE(make_folder(*outside, "/a/b"));
    EXPECT_TRUE(make_folder(*outside, "/"));
    EXPECT_EQ(read_node(*outside, "/a/b").value().data, "data");
    EXPECT_EQ(make_folder(*outside, "no/slash").error(), errc::bad_path);
    EXPECT_THAT(make_folder(*outside, hold->znode() + "/x").error().message(),
                HasSubstr("is ephemeral and cannot have children"));
    client inside{below};
    EXPECT_EQ(make_folder(inside, "/x").error(), errc::no_chroot);
}

// A session in memory uses this machine's clock, so the session's time must agree with that clock.
TEST_F(chroot, sessions_know_their_servers_time) {
    const auto before = std::chrono::system_clock::now();
    const auto shown = outside->session().servers_time;
    ASSERT_TRUE(shown);
    EXPECT_GE(*shown, before - std::chrono::minutes{1});
    EXPECT_LE(*shown, std::chrono::system_clock::now() + std::chrono::minutes{1});
    outside->close();
    EXPECT_FALSE(outside->session().servers_time);
}

}  // namespace
}  // namespace turnstile::tests
