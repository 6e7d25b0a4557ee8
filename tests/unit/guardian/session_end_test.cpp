// SPDX-License-Identifier: Apache-2.0
// Tests how the guardian closes a dead process's session at servers that answer, refuse, or stay silent. The test uses
// loopback sockets and sets the time.
#include "guardian/session_end.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "fake_server.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::guardian {
namespace {

using namespace std::chrono_literals;

class session_ends : public ::testing::Test {
protected:
    session_end begin(std::vector<endpoint> list) {
        return {
            {.id = 0x1234, .secret = {'p'}, .timeout = 30s, .servers = std::move(list)}, now, now};
    }
    // Continues `end` until it has read the server's answers.
    void step(session_end& end) const {
        pollfd request{end.socket(), end.events(), 0};
        const auto longest = static_cast<int>(testing::limit().count());
        ASSERT_GT(::poll(&request, 1, longest), 0);
        end.on_ready(now);
    }
    void step_until_over(session_end& end) const {
        while (!end.over() && end.socket() >= 0) step(end);
    }

    time_point now = std::chrono::steady_clock::now();
    fake_server first;
    fake_server second;
};

TEST_F(session_ends, attach_and_close) {
    auto end = begin({first.where});
    first.accept();
    step(end);
    EXPECT_EQ(first.read(k_attach_length)[27], std::byte{0x34});  // a byte of the session's id
    first.write(attach_answer(30));
    step(end);
    EXPECT_EQ(first.read(k_close_length)[11], std::byte{0xf5});  // the request's type -11
    EXPECT_FALSE(end.over());
    first.write(close_answer(0));
    step_until_over(end);
    EXPECT_TRUE(end.over());
}

// An attach extends the session by the timeout that it requests. So the guardian must request the shortest timeout.
TEST_F(session_ends, the_attach_asks_for_the_shortest_time) {
    auto end = begin({first.where});
    first.accept();
    step(end);
    const auto attach = first.read(k_attach_length);
    EXPECT_EQ(packet(attach.begin() + 16, attach.begin() + 20), (packet{{}, {}, {}, std::byte{1}}));
}

TEST_F(session_ends, a_session_that_servers_attach_and_do_not_close_is_left_to_expire) {
    auto end = begin({first.where, second.where});
    for (auto* const server : {&first, &second}) {
        EXPECT_FALSE(end.over());
        server->accept();
        step(end);
        server->write(attach_answer(30));
        step(end);
        server->write(close_answer(0x8a));
        step_until_over(end);
        end.on_time(now);
    }
    EXPECT_TRUE(end.over());
}

TEST_F(session_ends, a_session_that_is_over_is_not_closed) {
    auto end = begin({first.where});
    first.accept();
    step(end);
    first.write(attach_answer(0));
    step_until_over(end);
    EXPECT_TRUE(end.over());
}

TEST_F(session_ends, the_next_server_is_asked_when_the_first_refuses_or_breaks) {
    first.refuse_all();
    auto end = begin({first.where, second.where});
    if (end.socket() >= 0) step(end);
    end.on_time(now);
    second.accept();
    step(end);
    second.read(k_attach_length);
    second.cut();
    step_until_over(end);
    EXPECT_FALSE(end.over());
    now = end.wake_at();
    end.on_time(now);  // tries the first server again
    EXPECT_FALSE(end.over());
}

TEST_F(session_ends, a_session_that_waited_has_the_whole_patience_for_its_first_attempt) {
    session_end end{
        {.id = 0x1234, .secret = {'p'}, .timeout = 30s, .servers = {first.where}}, now - 10s, now};
    EXPECT_GT(end.wake_at(), now);
    end.on_time(now);
    first.accept();
    step(end);
    EXPECT_EQ(first.read(k_attach_length).size(), k_attach_length);
}

TEST_F(session_ends, the_next_server_is_asked_when_the_first_does_not_answer) {
    auto end = begin({first.where, second.where});
    first.accept();
    step(end);
    now = end.wake_at();
    end.on_time(now);
    end.on_time(now);
    second.accept();
    step(end);
    EXPECT_EQ(second.read(k_attach_length).size(), k_attach_length);
}

TEST_F(session_ends, a_close_that_is_refused_is_tried_elsewhere) {
    auto end = begin({first.where, second.where});
    first.accept();
    step(end);
    first.write(attach_answer(30));
    step(end);
    first.write(close_answer(0x8a));
    step_until_over(end);
    EXPECT_FALSE(end.over());
    end.on_time(now);
    second.accept();
    step(end);
    EXPECT_EQ(second.read(k_attach_length).size(), k_attach_length);
}

// A build without Cyrus SASL goes to the next server before it sends a SASL request.
TEST_F(session_ends, a_user_who_is_refused_is_tried_elsewhere) {
    session_end end{{.id = 0x1234,
                     .timeout = 30s,
                     .servers = {first.where, second.where},
                     .sasl = {.user = "lock", .password = "sesame"}},
                    now,
                    now};
    first.accept();
    step(end);
    first.read(k_attach_length);
    first.write(attach_answer(30));
    step(end);
    if (end.socket() >= 0) {
        // Type 102 is GetSASLRequest: the guardian does not send the close before it has signed in.
        EXPECT_EQ(first.read(k_close_length).back(), std::byte{102});
        first.write(token_answer(0x8d, ""));
        step_until_over(end);
    }
    EXPECT_FALSE(end.over());
    end.on_time(now);
    second.accept();
    step(end);
    EXPECT_EQ(second.read(k_attach_length).size(), k_attach_length);
}

TEST_F(session_ends, frames_that_are_too_long_end_the_attempt) {
    auto end = begin({first.where, second.where});
    first.accept();
    step(end);
    first.write(packet(8, std::byte{0x7f}));
    step_until_over(end);
    EXPECT_FALSE(end.over());
    EXPECT_EQ(end.socket(), -1);
}

TEST_F(session_ends, it_is_given_up_after_the_session_time_out) {
    auto end = begin({first.where});
    end.on_time(now + 30s - 1ms);
    EXPECT_FALSE(end.over());
    end.on_time(now + 30s);
    EXPECT_TRUE(end.over());
}

}  // namespace
}  // namespace turnstile::guardian
