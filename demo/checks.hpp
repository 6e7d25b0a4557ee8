// SPDX-License-Identifier: Apache-2.0
// checks: whether a run kept what the lock promises, computed from its record alone.
#pragma once

#include <string>
#include <vector>

#include "record.hpp"

namespace demo {

struct check {
    std::string promise;
    bool passed = false;
    std::string numbers;  // what was counted or measured
};

// How long a waiter may have to wait for the lock of a holder that was killed or stopped: the session time-out, two
// ticks (ZooKeeper's servers look for expired sessions once a tick), and what the machine takes. With a guardian, and
// where the kernel tells of a death, which takes milliseconds: half of the session time-out, in which no session expires
// by itself, since it is heard from each third.
[[nodiscard]] duration hand_over_limit(const run_settings& settings, event_kind cause);

[[nodiscard]] check stock_is_empty(const run_record& run);
[[nodiscard]] check nothing_sold_twice(const run_record& run);
[[nodiscard]] check sales_in_order(const run_record& run);
[[nodiscard]] check one_holder_at_a_time(const run_record& run);
[[nodiscard]] check grants_in_queue_order(const run_record& run);
[[nodiscard]] check tokens_increase(const run_record& run);
[[nodiscard]] check killed_while_holding(const run_record& run, event_kind cause);
[[nodiscard]] check handed_over_after(const run_record& run, event_kind cause);
// The worker that held while the server was killed kept its hold and sold its item; or its lease ran out, since the server
// was away for too long, and it was told. Nobody else was granted the lock before that.
[[nodiscard]] check server_kill_let_nobody_in(const run_record& run);
[[nodiscard]] check paused_holder_was_told(const run_record& run);
[[nodiscard]] check paused_write_was_refused(const run_record& run);
[[nodiscard]] check paused_worker_went_on(const run_record& run);

[[nodiscard]] std::vector<check> checks_with_lock(const run_record& run);

// The control: without the lock the same program must oversell, or the checks above prove nothing.
[[nodiscard]] check oversells(const run_record& run);

[[nodiscard]] bool all_passed(const std::vector<check>& checks);

// How often each item was sold; index 0 is item 1. Sales of items that do not exist are left out.
[[nodiscard]] std::vector<int> sales_per_item(const run_record& run);

}  // namespace demo
