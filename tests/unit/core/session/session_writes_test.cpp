// SPDX-License-Identifier: Apache-2.0
// Tests writes of callers without a hold (repeated_write). The session repeats such a write until it is answered. A
// write with a version is sent only on the connection that read the version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace session_writes_tests {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class session_writes : public test::session_fixture {
protected:
    static constexpr std::int32_t k_version = 3;

    // Reads the version. Returns the number of the connection that the answer came from.
    std::uint64_t read_version() {
        on(read{k_question, get_op{"/q"}, {}});
        answer<get_op>();
        const auto read_on = std::get<reply>(answers.back().outcome).connection;
        answers.clear();
        return read_on;
    }
    void write(std::uint64_t only_on) {
        on(repeated_write{k_further_question, set_op{"/q", "5", k_version}, {}, only_on});
    }
    void expect_told_to_read_again() {
        EXPECT_EQ(count<set_op>(), 0U);
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_EQ(answers[0].id, k_further_question);
        EXPECT_EQ(std::get<reply>(answers[0].outcome).error, server_error::bad_version);
        EXPECT_TRUE(session.idle());
    }
};

TEST_F(session_writes, are_sent_again_on_any_connection) {
    start_attached();
    write(0);
    EXPECT_EQ(count<set_op>(), 1U);
    detach();
    attach();
    EXPECT_EQ(count<set_op>(), 1U);
    answer<set_op>();
    EXPECT_THAT(answers, SizeIs(1));
}

TEST_F(session_writes, of_a_version_are_sent_on_its_connection) {
    start_attached();
    write(read_version());
    EXPECT_EQ(count<set_op>(), 1U);
    EXPECT_THAT(answers, IsEmpty());
}

TEST_F(session_writes, of_a_version_are_not_sent_again_on_another_connection) {
    start_attached();
    write(read_version());
    detach();
    EXPECT_THAT(answers, IsEmpty());
    attach();
    expect_told_to_read_again();
}

TEST_F(session_writes, of_a_version_that_was_read_before_are_not_sent) {
    start_attached();
    const auto read_on = read_version();
    detach();
    attach();
    write(read_on);
    expect_told_to_read_again();
}

// Connections are numbered from 1 in each session, so the number alone does not identify a connection.
TEST_F(session_writes, of_a_version_are_not_sent_in_another_session) {
    start_attached();
    const auto read_on = read_version();
    expire();
    pass(1s);
    attach();
    write(read_on);
    expect_told_to_read_again();
}

TEST_F(session_writes, of_a_version_wait_for_a_connection_until_their_deadline) {
    start_attached();
    const auto read_on = read_version();
    detach();
    on(repeated_write{k_further_question, set_op{"/q", "5", k_version}, now + 2s, read_on});
    EXPECT_THAT(answers, IsEmpty());
    pass(2s);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_TRUE(std::holds_alternative<error>(answers[0].outcome));
}

}  // namespace session_writes_tests
}  // namespace turnstile::core
