// SPDX-License-Identifier: Apache-2.0
// Tests `promises`, the guarantees that a kind of server gives for every lock: their names, and which required promises
// a kind of server lacks.
#include "turnstile/promises.hpp"

#include <gmock/gmock.h>

namespace turnstile {
namespace {

using ::testing::IsEmpty;

TEST(promises, by_default_promise_nothing) {
    const promises none;
    EXPECT_THAT(missing(none, none), IsEmpty());
    for (const auto& [name, value] : texts_of(none)) {
        EXPECT_THAT(name, Not(IsEmpty()));
        EXPECT_THAT(value, Not(IsEmpty()));
    }
}

TEST(promises, have_names_and_values_in_the_order_of_the_struct) {
    const promises given{.exclusion = exclusion_promise::proved,
                         .order = order_promise::arrival,
                         .waiting = waiting_promise::notified,
                         .failover = failover_promise::loses_writes,
                         .loss = loss_promise::told,
                         .token = token_promise::grows_across_lost_data,
                         .writes = write_promise::guarded,
                         .crash = crash_promise::at_once,
                         .scope = scope_promise::cluster};
    EXPECT_THAT(texts_of(given),
                ::testing::ElementsAre(
                    promise_text{"exclusion", "proved"}, promise_text{"order", "arrival"},
                    promise_text{"waiting", "notified"}, promise_text{"failover", "loses_writes"},
                    promise_text{"loss", "told"}, promise_text{"token", "grows_across_lost_data"},
                    promise_text{"writes", "guarded"}, promise_text{"crash", "at_once"},
                    promise_text{"scope", "cluster"}));
}

TEST(promises, what_is_missing_is_named_with_both_values) {
    EXPECT_EQ(missing({}, {.exclusion = exclusion_promise::proved, .scope = scope_promise::host}),
              "exclusion: proved is required, best_effort is promised; "
              "scope: host is required, process is promised");
}

TEST(promises, more_than_is_required_is_enough) {
    const promises given{.failover = failover_promise::survives, .crash = crash_promise::at_once};
    EXPECT_THAT(missing(given, {.failover = failover_promise::loses_writes,
                                .crash = crash_promise::session_timeout}),
                IsEmpty());
    EXPECT_EQ(missing({.failover = failover_promise::loses_writes}, given),
              "failover: survives is required, loses_writes is promised; "
              "crash: at_once is required, never is promised");
}

}  // namespace
}  // namespace turnstile
