// SPDX-License-Identifier: Apache-2.0
// Tests a session whose connections all break before any answer. A server refuses the packet that sets the client's
// watches again if that packet exceeds jute.maxbuffer. Yet each new connection extends the session (failures F26, F41).
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;

class session_flapping : public test::session_fixture {
protected:
    session_flapping() { start_attached(); }

    void flap() {
        attach();
        log.clear();
        on_event(link(link_kind::detached));
        lose_requests();
    }
};

// Each new connection extends the session at the servers. If the client kept the session, the znodes of lost holds
// would remain.
TEST_F(session_flapping, replaces_a_session_on_whose_connections_nothing_is_answered) {
    acquire(k_ann);
    detach();
    const auto before = epoch();
    int attaches = 0;
    for (; epoch() == before && attaches != 1'000; ++attaches) {
        pass(1s);
        flap();
        if (session.state() == session_state::connecting) break;
    }
    EXPECT_GE(attaches, 8);
    EXPECT_LE(attaches, 31) << "once a session timeout has gone by";
    ASSERT_EQ(closed.size(), 1U);
}

TEST_F(session_flapping, leaves_one_that_breaks_often_and_answers_between) {
    for (int i = 0; i != 100; ++i) {
        pass(1s);
        acquire(contender_id{static_cast<std::uint64_t>(10 + i)});
        answer_all_ok();
        on_event(link(link_kind::detached));
        lose_requests();
        attach();
    }
    EXPECT_EQ(epoch(), 1U);
}

TEST_F(session_flapping, leaves_one_that_breaks_quickly_for_less_than_a_time_out) {
    detach();
    for (int i = 0; i != 100; ++i) {
        pass(k_timeout / 200);
        flap();
    }
    EXPECT_EQ(epoch(), 1U);
}

}  // namespace
}  // namespace turnstile::core
