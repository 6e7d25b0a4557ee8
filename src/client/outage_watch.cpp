// SPDX-License-Identifier: Apache-2.0
#include "client/outage_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace turnstile::detail {

namespace {

constexpr std::chrono::minutes k_second_line{1};
constexpr std::chrono::minutes k_further_lines{5};

std::chrono::seconds whole_seconds(boottime_clock::duration span) {
    return std::chrono::round<std::chrono::seconds>(span);
}

// A session that ends for a reason of its own waits for no server.
bool has_ended(session_state state) {
    return state == session_state::closed || state == session_state::auth_failed;
}

}  // namespace

outage_watch::outage_watch(client_timers& timers, std::shared_ptr<worker_pool> workers,
                           std::shared_ptr<core::coordinator> servers,
                           boottime_clock::duration patience)
    : timers_{timers},
      workers_{std::move(workers)},
      servers_{std::move(servers)},
      patience_{patience} {
    const base::lock_guard lock{mutex_};
    begin(boottime_clock::now());
}

void outage_watch::on_change(const session_change& step) {
    const auto now = boottime_clock::now();
    const base::lock_guard lock{mutex_};
    states_[step.session] = step.to;
    if (answered() == !outage_) return;
    if (outage_) {
        end(now);
    } else {
        begin(now);
    }
}

bool outage_watch::answered() const {
    const auto is = [](auto&& wanted) {
        return [wanted](const auto& s) { return wanted(s.second); };
    };
    const bool connected =
        std::any_of(states_.begin(), states_.end(),
                    is([](session_state state) { return state == session_state::connected; }));
    return connected ||
           (!states_.empty() && std::all_of(states_.begin(), states_.end(), is(has_ended)));
}

void outage_watch::begin(boottime_clock::time_point now) {
    outage_ = true;
    since_ = now;
    due_ = now + patience_;
    told_ = 0;
    timers_.arm(*this, due_);
}

void outage_watch::end(boottime_clock::time_point now) {
    outage_ = false;
    if (told_ == 0) return;
    log::write(log_level::warning, "{}: the outage of {} s is over", servers_->describe(),
               whole_seconds(now - since_).count());
}

void outage_watch::on_timer() {
    const auto now = boottime_clock::now();
    const base::lock_guard lock{mutex_};
    if (!outage_) return;
    if (now >= due_) tell(now);
    timers_.arm(*this, due_);
}

// The servers are asked on a worker: an answer may take a second.
void outage_watch::tell(boottime_clock::time_point now) {
    due_ = now + (told_++ == 0 ? k_second_line : k_further_lines);
    workers_->post([servers = servers_, span = whole_seconds(now - since_)] {
        log::write(log_level::warning, "no session with {} for {} s: {}", servers->describe(),
                   span.count(), servers->diagnose());
    });
}

}  // namespace turnstile::detail
