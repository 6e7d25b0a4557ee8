#include "simulation/workload.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr double k_asks = 0.1;

}  // namespace

void workload::start() {
    for (auto& one : workers_) {
        one.rounds = dice_.from_to(1, scenario_.rounds);
        plan(one, dice_.up_to(scenario_.time.session_timeout / 2));
    }
}

void workload::plan(worker& one, core::duration pause) {
    client_.wake_after(pause, static_cast<std::size_t>(&one - workers_.data()), ++one.serial);
}

bool workload::at_rest() const {
    return std::all_of(workers_.begin(), workers_.end(), [](const worker& one) {
        return one.what == doing::resting || one.what == doing::done;
    });
}

core::duration workload::hold_time() {
    const auto timeout = scenario_.time.session_timeout;
    if (!stopping_ && dice_.chance(scenario_.long_holds))
        return dice_.between(timeout / 2, scenario_.longest_hold);
    return dice_.up_to(dice_.chance(0.5) ? core::duration{20ms} : timeout / 4);
}

void workload::hear(const core::notice& what) {
    const auto found = std::find_if(workers_.begin(), workers_.end(), [&what](const worker& one) {
        return one.current == what.who &&
               (one.what == doing::waiting || one.what == doing::holding);
    });
    if (found == workers_.end()) return;
    if (std::holds_alternative<core::granted>(what.what)) {
        found->what = doing::holding;
        plan(*found, hold_time());
    } else if (std::holds_alternative<core::failed>(what.what) ||
               std::holds_alternative<core::lost>(what.what)) {
        found->what = doing::resting;
        plan(*found, dice_.up_to(scenario_.time.session_timeout / 4));
    }
}

void workload::wake(const worker_due& what) {
    auto& one = workers_[what.worker];
    if (one.serial != what.serial) return;
    switch (one.what) {
        case doing::resting:
            if (stopping_ || one.rounds == 0) {
                one.what = doing::done;
            } else {
                --one.rounds;
                acquire(one);
            }
            return;
        case doing::waiting: return client_.cancel(one.current);
        case doing::holding:
            one.what = doing::resting;
            plan(one, dice_.up_to(scenario_.time.session_timeout / 4));
            return client_.release(one.current);
        case doing::done: return;
    }
}

void workload::acquire(worker& one) {
    const auto timeout = scenario_.time.session_timeout;
    core::acquire call;
    call.settings.folder = dice_.pick(scenario_.folders);
    call.settings.mode = dice_.chance(scenario_.once) ? core::attempt::once : core::attempt::wait;
    call.settings.waiters =
        client_.plan().enters_again ? on_session_loss::enter_again : on_session_loss::fail;
    if (dice_.chance(scenario_.with_deadline))
        call.deadline = client_.local_now() + dice_.up_to(timeout * 3 / 2);
    if (dice_.chance(scenario_.cancelled)) plan(one, dice_.up_to(timeout));
    core::operation look = core::children_op{call.settings.folder};
    one.what = doing::waiting;
    one.current = client_.next_id();
    client_.acquire(std::move(call));
    if (dice_.chance(k_asks)) client_.ask(std::move(look), timeout);
}

void workload::stop() {
    stopping_ = true;
    for (auto& one : workers_)
        if (one.what == doing::holding) plan(one, dice_.up_to(scenario_.time.session_timeout));
}

}  // namespace turnstile::simulation
