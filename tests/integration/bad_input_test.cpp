// SPDX-License-Identifier: Apache-2.0
// Tests invalid input and refusals by servers. The error must name the value and the rule, and the call must change
// nothing.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "contract/probe.hpp"
#include "support.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

// Returns the message of the exception that `call` throws. The exception must have the code `expected`.
template <class F>
std::string thrown(errc expected, F&& call) {
    try {
        call();
    } catch (const std::system_error& failure) {
        EXPECT_EQ(failure.code(), expected);
        return failure.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

class bad_path : public ::testing::TestWithParam<std::string> {};

TEST_P(bad_path, is_refused_before_anything_is_sent) {
    client servers{"local:bad-path"};
    const auto message = thrown(errc::bad_path, [&] { mutex{servers, GetParam()}; });
    EXPECT_THAT(message, HasSubstr("\""));  // quotes the value
}

INSTANTIATE_TEST_SUITE_P(rules, bad_path,
                         ::testing::Values("", "relative", "/", "/a//b", "/a/", "/a/./b", "/a/../b",
                                           std::string{"/a\0b", 4},
                                           "/" + std::string(70'000, 'x')));

class bad_connect_string : public ::testing::TestWithParam<std::string> {};

TEST_P(bad_connect_string, is_refused_before_anything_is_sent) {
    const auto message = thrown(errc::bad_connect_string, [&] {
        client{GetParam(), quick_options()};
    });
    EXPECT_FALSE(message.empty());
}

INSTANTIATE_TEST_SUITE_P(rules, bad_connect_string,
                         ::testing::Values("", "/chroot", ":2181", "host:", "host:0", "host:65536",
                                           "host:port", "a:1,,b:2", "a:1/chroot/", "a:1//c"));

TEST(bad_input, options_are_checked) {
    auto options = quick_options();
    options.session_timeout = 0ms;
    EXPECT_THAT(thrown(errc::bad_option,
                       [&] {
                           client{"local:", options};
                       }),
                HasSubstr("session_timeout 0 s"));
    options = quick_options();
    options.acl = access_policy::creator_only;
    EXPECT_THAT(thrown(errc::bad_option,
                       [&] {
                           client{"local:", options};
                       }),
                HasSubstr("credentials"));
}

TEST(bad_input, a_server_that_is_absent_is_named_at_the_deadline) {
    const testing::loopback_port nobody;
    client servers{nobody.address(), quick_options()};
    const auto connected = servers.wait_connected(1s);
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error(), errc::not_connected);
    EXPECT_EQ(connected.error().detail(), nobody.address() + " (Connection refused)");
    mutex lock{servers, "/locks/a"};
    const auto hold = lock.acquire({.timeout = 100ms});
    ASSERT_FALSE(hold);
    EXPECT_EQ(hold.error(), errc::not_connected);
    EXPECT_THAT(hold.error().message(), HasSubstr(nobody.address()));
}

TEST(bad_input, each_server_that_is_absent_is_named_with_its_reason) {
    const testing::loopback_port first;
    const testing::loopback_port second;
    const auto both = first.address() + "," + second.address();
    client servers{both, quick_options()};
    // The message lists the servers in the order of their names.
    const auto [first_name, last_name] = std::minmax({first.address(), second.address()});
    EXPECT_EQ(
        servers.wait_connected(1s).error().detail(),
        both + " (" + first_name + ": Connection refused; " + last_name + ": Connection refused)");
    // The client cannot ask the servers within 0 s, but it already knows why the connections failed.
    EXPECT_THAT(servers.wait_connected(0s).error().detail(), HasSubstr("Connection refused"));
}

TEST(bad_input, a_chroot_that_is_missing_is_said_and_not_made) {
    client servers{server().connect_string() + "/no/such/chroot", quick_options()};
    const auto connected = servers.wait_connected(limit());
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error(), errc::no_chroot);
    mutex lock{servers, "/locks/a"};
    EXPECT_EQ(lock.acquire({.timeout = limit()}).error(), errc::no_chroot);
    const auto raw = zookeeper::make_coordinator(server().connect_string());
    contract::probe look{*raw};
    EXPECT_EQ(look.ask(core::exists_op{"/no"}).error, core::server_error::no_node);
}

TEST(bad_input, the_negotiated_session_timeout_is_reported) {
    const auto servers = connect(server().connect_string(), quick_options(10min));
    EXPECT_EQ(servers->session().timeout, 60s);  // the longest timeout that the kit's servers grant
}

TEST(bad_input, a_chroot_that_is_there_works) {
    const auto outside = connect(server().connect_string());
    mutex make{*outside, "/tests/chroot/locks/a"};
    ASSERT_TRUE(make.acquire({.timeout = limit()})->release(limit()));
    const auto inside = connect(server().connect_string() + "/tests/chroot");
    mutex lock{*inside, "/locks/a"};
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    EXPECT_EQ(make.queue().value().size(), 1U);
}

TEST(bad_input, no_permission_is_said_and_nothing_is_left) {
    auto options = quick_options();
    options.credentials = "owner:secret";
    options.acl = access_policy::creator_only;
    const auto owner = connect(server().connect_string(), options);
    const auto path = lock_path();
    mutex theirs{*owner, path};
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto stranger = connect(server().connect_string());
    mutex lock{*stranger, path};
    const auto refused = lock.acquire({.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::no_permission);
    EXPECT_THAT(refused.error().message(), HasSubstr(path));
    EXPECT_EQ(lock.queue().error(), errc::no_permission);
    EXPECT_EQ(theirs.queue().value().size(), 1U);
}

// A server before 3.5 has no containers, so the client creates persistent parents.
TEST(bad_input, a_server_too_old_for_containers_gets_persistent_parents) {
    tcp_proxy proxy{server().connect_string(0)};
    proxy.filter(direction::to_server, [](frame& frame) {
        if (frame.is(frame_kind::request, opcode::create_container))
            frame.rewrite_opcode(opcode::unknown);
        return verdict::forward;
    });
    const auto servers = connect(proxy.address());
    mutex lock{*servers, lock_path() + "/deep"};
    const auto hold = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(hold) << hold.error().message();
}

// After fork() without exec(), the client refuses all calls in the child, and continues in the parent.
TEST(bad_input, a_forked_child_is_refused_and_harms_nothing) {
    const auto servers = connect(server().connect_string());
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto child = ::fork();
    if (child == 0) {
        const bool refused = lock.acquire().error() == errc::forked &&
                             lock.try_acquire().error() == errc::forked &&
                             lock.is_locked().error() == errc::forked && !hold->valid() &&
                             hold->release().error() == errc::forked;
        ::_exit(refused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(hold->valid());
    EXPECT_EQ(lock.queue().value().size(), 1U);
    EXPECT_TRUE(hold->release(limit()));
}

}  // namespace
}  // namespace turnstile::tests
