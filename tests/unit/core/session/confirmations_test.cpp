// SPDX-License-Identifier: Apache-2.0
#include "core/session/confirmations.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "unit/support/times.hpp"

namespace turnstile::core {
namespace confirmations_tests {

using namespace std::chrono_literals;
using test::at;

constexpr duration k_timeout = 30s;
constexpr duration k_every = 6s;  // a fifth of the session timeout
constexpr confirmation_needs k_holds{.contenders = true, .confirming = true, .holding = true};
constexpr confirmation_needs k_next{.contenders = true, .confirming = true};
constexpr confirmation_needs k_further_back{.contenders = true};

// Returns the lease of a session that opened and attached at 0 s. Its server is standalone, so every write extends the
// lease.
lease session() {
    lease subject{lease_rule{12s, false, 0}};
    subject.opening(at(0s));
    subject.attached(1, k_timeout, at(0s));
    subject.role_known(1, server_role::standalone, at(0s));
    return subject;
}

std::optional<time_point> due(const confirmations& value, const confirmation_needs& needs,
                              time_point last_write = {}, time_point now = at(0s)) {
    return value.due({}, session(), needs, last_write, now);
}

TEST(confirmations, the_first_is_due_at_once_and_the_next_after_an_interval) {
    confirmations value{at(0s), k_every};
    EXPECT_EQ(due(value, k_holds), at(0s));
    value.begin(at(0s));
    EXPECT_EQ(due(value, k_holds), at(k_every));
}

TEST(confirmations, none_is_due_without_contenders_or_while_one_is_under_way) {
    confirmations value{at(0s), k_every};
    EXPECT_EQ(due(value, {}), std::nullopt);
    value.sent(ticket{7});
    EXPECT_EQ(due(value, k_holds), std::nullopt);
    value.answered(ticket{6});
    EXPECT_EQ(due(value, k_holds), std::nullopt) << "another request's answer";
    value.answered(ticket{7});
    EXPECT_TRUE(due(value, k_holds));
}

TEST(confirmations, any_write_serves_contenders_further_back) {
    confirmations value{at(0s), k_every};
    value.begin(at(0s));
    EXPECT_EQ(due(value, k_further_back, at(4s)), at(4s) + k_every);
    EXPECT_EQ(due(value, k_next, at(4s)), at(k_every));
}

TEST(confirmations, count_from_the_first_contender_that_needs_them) {
    confirmations value{at(0s), k_every};
    value.begin(at(0s));
    value.first_needed(at(5s));
    EXPECT_EQ(due(value, k_next), at(5s) + k_every);
}

TEST(confirmations, one_that_was_lost_is_due_again_at_once) {
    confirmations value{at(0s), k_every};
    value.begin(at(9s));
    value.sent(ticket{7});
    value.lost(at(10s), k_every);
    EXPECT_EQ(value.request(), std::nullopt);
    EXPECT_EQ(due(value, k_next, {}, at(10s)), at(10s));
}

TEST(confirmations, hurry_while_a_hold_is_near_the_end_of_its_lease) {
    auto confirmed = session();
    confirmed.answered(1, at(1s), at(1s), true);
    confirmations value{at(0s), k_every};
    value.first_needed(at(27s));  // this hold was granted late in the lease
    EXPECT_EQ(value.due({}, confirmed, k_holds, at(1s), at(27s)), at(1s) + k_timeout - k_every);
}

TEST(confirmation_pace, a_wish_beyond_what_keeps_the_lease_is_not_followed) {
    EXPECT_EQ(confirmation_pace{}.interval(session()), k_every);
    EXPECT_EQ(confirmation_pace{2s}.interval(session()), 2s);
    EXPECT_EQ(confirmation_pace{k_timeout}.interval(session()), k_every);
}

TEST(confirmation_pace, a_lease_lasts_if_a_confirmation_can_still_be_answered) {
    const confirmation_pace pace;
    EXPECT_TRUE(pace.lasts(session(), at(28s)));
    EXPECT_FALSE(pace.lasts(session(), at(k_timeout - k_every / 4)));
}

}  // namespace confirmations_tests
}  // namespace turnstile::core
