// SPDX-License-Identifier: Apache-2.0
// Implements the faults of a client: it pauses, its machine stops, or it crashes.
#include <algorithm>
#include <utility>

#include "simulation/sim_client.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;
constexpr auto k_timers_last = 2ms;

}  // namespace

void sim_client::pause(core::duration length) {
    if (paused_ || crashed_) return;
    paused_ = true;
    paused_since_ = around_.future.now();
    around_.future.after(length, resumes{id_});
}

void sim_client::stop_machine(core::duration length) {
    if (paused_ || crashed_) return;
    pause(length);
    machine_stopped_ = true;
    stopped_in_ = core_.epoch();
    clock_.stop(around_.future.now());
}

// Returns true if the client's clock stopped in this epoch (the time of one session). The lease then ends too late, by
// the time that the clock missed. Later leases of the session may end too late as well: the clock does not show whether
// the lease ended before the session was extended.
bool sim_client::rests_on_a_stopped_clock() const {
    return stopped_in_ == core_.epoch();
}

void sim_client::on(const resumes&) {
    if (!paused_ || crashed_) return;
    paused_ = false;
    const auto now = around_.future.now();
    const bool clock_stood = std::exchange(machine_stopped_, false);
    if (clock_stood) {
        clock_.go_on(now);
        clock_goes_since_ = now;
    }
    awake_since_ = now;
    latest_stop_ = now - paused_since_;
    undisturbed_since_ = now;
    // After a pause, the real client reads the clock before it reads messages. So it may give up a server that has
    // answered.
    const bool impatient =
        !clock_stood && now - paused_since_ > around_.scenario.time.session_timeout * 2 / 3;
    if (impatient && session_ && session_->connection() && around_.chance.chance(0.5))
        session_->notice_break(*session_->connection());
    auto waiting = std::exchange(waiting_, {});
    // After a pause, the threads resume in any order. Each thread's events keep their order.
    const auto timers = around_.chance.below(2);
    const auto users = around_.chance.below(2);
    std::stable_sort(waiting.begin(), waiting.end(),
                     [&](const planned_event& a, const planned_event& b) {
                         const auto rank = [&](const planned_event& e) {
                             if (std::holds_alternative<timer_due>(e)) return timers == 0 ? 0 : 3;
                             if (std::holds_alternative<worker_due>(e)) return users == 0 ? 1 : 4;
                             return 2;
                         };
                         return rank(a) < rank(b);
                     });
    // If the timer thread resumes last, the completion thread has read the waiting messages before the timers run.
    const auto timers_run = now + (timers == 0 ? core::duration{} : k_timers_last);
    for (auto& event : waiting) {
        const bool timer = std::holds_alternative<timer_due>(event);
        around_.future.at(timer ? timers_run : now, std::move(event));
    }
    collect();
}

void sim_client::crash() {
    if (crashed_) return;
    crashed_ = true;
    waiting_.clear();
    if (session_) session_->end(server_session::ending::crashed);
    session_.reset();
    around_.records.on_crash(id_);
}

}  // namespace turnstile::simulation
