// SPDX-License-Identifier: Apache-2.0
// A server that answers nothing is left for another one, long before the session could end (silence_watch.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class session_silence : public test::session_fixture {
protected:
    static constexpr duration k_limit = 5s;

    static session_core_settings impatient(duration limit = k_limit) {
        auto result = settings();
        result.connection_timeout = limit;
        return result;
    }
    session_silence() : session_fixture{impatient()} {}
    explicit session_silence(duration limit) : session_fixture{impatient(limit)} {}
};

TEST_F(session_silence, is_left_after_the_connection_timeout) {
    start_attached();
    acquire(k_ann);
    pass(k_limit - 1ms);
    EXPECT_THAT(left, IsEmpty());
    pass(1ms);
    EXPECT_THAT(left, ElementsAre(1));
    pass(k_timeout / 2);
    EXPECT_THAT(left, ElementsAre(1)) << "once for a connection";
}

TEST_F(session_silence, ends_with_any_answer) {
    start_attached();
    acquire(k_ann);
    pass(k_limit - 1ms);
    answer<create_op>(server_error::ok);
    pass(k_limit - 1ms);
    EXPECT_THAT(left, IsEmpty()) << "the list is under way, and the server has answered since";
    pass(k_limit);
    EXPECT_THAT(left, ElementsAre(1));
}

TEST_F(session_silence, begins_with_a_request) {
    start_attached();
    take_lock(k_ann);
    answer_all_ok();
    pass(k_limit);  // confirmations are answered by no server here
    for (int i = 0; i != 10; ++i) {
        pass(1s);
        answer_all_ok();
    }
    EXPECT_THAT(left, IsEmpty());
}

// Eight of the round trips: what answers after 2 s is not silent after 5 s.
TEST_F(session_silence, of_a_slow_server_lasts_longer) {
    start_attached();
    acquire(k_ann);
    pass(2s);
    answer<create_op>(server_error::ok);
    answer<children_op>(server_error::no_node);
    pass(8 * 2s - 1ms);
    EXPECT_THAT(left, IsEmpty());
}

TEST_F(session_silence, of_one_server_after_the_other_is_given_twice_the_time_up_to_a_bound) {
    start_attached();
    acquire(k_ann);
    duration limit = k_limit;
    for (std::uint64_t i = 1; i != 6; ++i) {
        left.clear();
        pass(limit - 1ms);
        EXPECT_THAT(left, IsEmpty()) << i;
        pass(1ms);
        EXPECT_THAT(left, ElementsAre(i));
        detach();
        attach();
        limit = std::min<duration>(2 * limit, k_timeout * 2 / 3);
    }
}

class session_silence_without_limit : public session_silence {
protected:
    session_silence_without_limit() : session_silence{0s} {}
};

TEST_F(session_silence_without_limit, is_left_to_the_servers_client) {
    start_attached();
    acquire(k_ann);
    pass(k_timeout);
    EXPECT_THAT(left, IsEmpty());
}

}  // namespace
}  // namespace turnstile::core
