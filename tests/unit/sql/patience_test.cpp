// SPDX-License-Identifier: Apache-2.0
// Tests the time limit for the answers of a database.
#include "sql/patience.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>

#include "support/wake_up.hpp"

namespace turnstile::sql {
namespace {

using namespace std::chrono_literals;

// A client with several hosts divides its time limit among the hosts. If close() begins while the client waits for
// the first host, the client must not wait for the other hosts.
TEST(patience, of_all_hosts_ends_when_close_begins_during_the_first) {
    const auto closing = std::make_shared<closing_signal>();
    patience whole{1h, closing};
    whole.begin();
    const support::wake_up silent;
    {
        const patience::part of_first{whole, 2};
        closing->begun = true;
        closing->closing.set();
        EXPECT_EQ(whole.await(silent.fd(), POLLIN), 0);
    }
    EXPECT_LE(whole.end_of(1h), boottime_clock::now());
}

}  // namespace
}  // namespace turnstile::sql
