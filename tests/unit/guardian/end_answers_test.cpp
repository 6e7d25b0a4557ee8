// SPDX-License-Identifier: Apache-2.0
#include "guardian/end_answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fake_server.hpp"

namespace turnstile::guardian {
namespace {

using step = end_answers::step;

packet joined(const packet& first, const packet& second) {
    packet both = first;
    both.insert(both.end(), second.begin(), second.end());
    return both;
}

// Gives the bytes to end_answers in pieces of this size. Returns all of its steps except waits.
std::vector<step> steps_of(std::span<const std::byte> bytes, std::size_t piece) {
    end_answers answers;
    std::vector<step> steps;
    while (!bytes.empty() && (steps.empty() || steps.back() == step::close)) {
        const auto count = std::min(piece, bytes.size());
        std::copy_n(bytes.begin(), count, answers.room().begin());
        bytes = bytes.subspan(count);
        if (const auto next = answers.take(count); next != step::wait) steps.push_back(next);
    }
    return steps;
}

TEST(end_answers, come_in_any_pieces) {
    const auto both = joined(attach_answer(30), close_answer(0));
    EXPECT_EQ(steps_of(both, 1), (std::vector{step::close, step::over}));
    EXPECT_EQ(steps_of(both, 7), (std::vector{step::close, step::over}));
    EXPECT_EQ(steps_of(both, both.size()), std::vector{step::over});
}

TEST(end_answers, of_a_session_that_is_over) {
    EXPECT_EQ(steps_of(attach_answer(0), 1), std::vector{step::over});
}

TEST(end_answers, that_refuse_or_are_none_are_broken) {
    EXPECT_EQ(steps_of(joined(attach_answer(30), close_answer(1)), 1),
              (std::vector{step::close, step::broken}));
    EXPECT_EQ(steps_of(packet{4, std::byte{0xff}}, 1), std::vector{step::broken});
    EXPECT_EQ(steps_of(packet{{}, {}, {}, std::byte{8}, {}, {}, {}, {}, {}, {}, {}, {}}, 1),
              std::vector{step::broken});
}

// A server may answer other requests for ever, so the guardian must stop after some number of bytes.
TEST(end_answers, of_other_requests_without_an_end_are_broken) {
    constexpr std::size_t k_more_than_any_server = std::size_t{1} << 20U;
    auto frame = close_answer(0);
    frame[7] = std::byte{9};
    end_answers answers;
    auto next = step::close;
    for (std::size_t sent = 0; next != step::broken && sent < k_more_than_any_server;
         sent += frame.size()) {
        const auto& bytes = sent == 0 ? attach_answer(30) : frame;
        std::copy(bytes.begin(), bytes.end(), answers.room().begin());
        next = answers.take(bytes.size());
    }
    EXPECT_EQ(next, step::broken);
}

end_answers::step token_step(end_answers& answers, const packet& frame) {
    answers.expect_token(2);
    std::copy(frame.begin(), frame.end(), answers.room().begin());
    return answers.take(frame.size());
}

TEST(end_answers, of_sasl_have_the_servers_token) {
    end_answers answers;
    const auto attached = attach_answer(30);
    std::copy(attached.begin(), attached.end(), answers.room().begin());
    ASSERT_EQ(answers.take(attached.size()), step::close);
    EXPECT_EQ(token_step(answers, token_answer(0, "challenge")), step::token);
    EXPECT_EQ(answers.token(), "challenge");
    auto none = token_answer(0, "");
    std::fill_n(none.begin() + 20, 4, std::byte{0xff});
    EXPECT_EQ(token_step(answers, none), step::token);
    EXPECT_EQ(answers.token(), "");
    auto longer = token_answer(0, "challenge");
    longer[23] = std::byte{10};
    EXPECT_EQ(token_step(answers, longer), step::broken);
    EXPECT_EQ(token_step(answers, token_answer(0x8d, "")), step::broken);
}

TEST(end_answers, begin_anew_with_each_connection) {
    end_answers answers;
    const auto attached = attach_answer(30);
    std::copy_n(attached.begin(), 10, answers.room().begin());
    EXPECT_EQ(answers.take(10), step::wait);
    answers.restart();
    std::copy(attached.begin(), attached.end(), answers.room().begin());
    EXPECT_EQ(answers.take(attached.size()), step::close);
}

}  // namespace
}  // namespace turnstile::guardian
