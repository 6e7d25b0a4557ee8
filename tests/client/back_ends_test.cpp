// SPDX-License-Identifier: Apache-2.0
// Tests which kind of server a connect string names, and the error if its back end is absent.
#include "client/back_ends.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <system_error>

#include "log_lines.hpp"
#include "turnstile/error.hpp"
#include "turnstile/testing/event.hpp"

namespace turnstile::detail {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Make>
std::string refusal(const Make& make) {
    try {
        static_cast<void>(make());
    } catch (const std::system_error& failure) {
        EXPECT_EQ(failure.code(), make_error_code(errc::bad_connect_string));
        return failure.what();
    }
    return "made";
}

TEST(back_ends, a_scheme_picks_the_servers) {
    EXPECT_EQ(make_coordinator("local:tree/a", {})->describe(), "local:tree/a");
    EXPECT_EQ(make_coordinator("localhost:2181/a", {})->describe(), "localhost:2181/a");
}

TEST(back_ends, an_unknown_scheme_is_named_and_the_rest_is_not_repeated) {
    const auto text = refusal([] { return make_coordinator("etcd://user:secret@host:1/a", {}); });
    EXPECT_THAT(text, AllOf(HasSubstr("etcd://"), HasSubstr("redis://"), HasSubstr("local:"),
                            Not(HasSubstr("secret"))));
}

TEST(back_ends, a_scheme_without_its_slashes_is_no_host) {
    for (const auto* const where : {"redis:/u:secret@h", "redis:u:secret@h", "redis:h:6379",
                                    "redis:10.0.0.1:6379", "redis:"}) {
        const auto text = refusal([&] { return make_coordinator(where, {}); });
        EXPECT_THAT(
            text,
            AllOf(HasSubstr("for Redis servers must begin with redis://, both slashes included"),
                  Not(HasSubstr("secret"))));
    }
    const auto text = refusal([] { return make_coordinator("mysql:/secret/db", {}); });
    EXPECT_THAT(text, AllOf(HasSubstr("must begin with mysql://"), Not(HasSubstr("secret"))));
    EXPECT_EQ(make_coordinator("redis:2181/a", {})->describe(), "redis:2181/a");
}

TEST(back_ends, a_password_in_front_of_a_zookeeper_server_is_not_repeated) {
    const auto text = refusal([] { return make_coordinator("u:secret@h:2181", {}); });
    EXPECT_THAT(text, AllOf(HasSubstr("***@h:2181"), Not(HasSubstr("secret"))));
}

// A tree in memory ends with its process, so it needs no guardian (a process that closes a dead process's sessions).
TEST(back_ends, a_guardian_is_started_for_sessions_of_servers_alone) {
    client_options guarded;
    guarded.guardian = {guardian_use::started, "/nowhere/turnstile-guardian"};
    const tests::log_lines lines;
    const auto attempts = [&] { return lines.with("the guardian /nowhere/turnstile-guardian"); };
    const auto here = make_coordinator("local:tree", guarded);
    EXPECT_EQ(attempts(), 0);
    const auto redis = make_coordinator("redis://127.0.0.1:1", guarded);
    EXPECT_TRUE(testing::eventually([&] { return attempts() == 1; }));
}

// For SQLite, a path ends at a NUL. So SQLite would open another file than the connect string seems to name.
TEST(back_ends, a_nul_is_refused) {
    using namespace std::string_view_literals;
    for (const auto where : {"sqlite:/a\0b.db"sv, "local:a\0b"sv, "h:1/a\0b"sv, "redis://h\0"sv}) {
        const auto text = refusal([&] { return make_coordinator(where, {}); });
        EXPECT_THAT(text, HasSubstr("of the connect string is a NUL"));
    }
}

}  // namespace
}  // namespace turnstile::detail
