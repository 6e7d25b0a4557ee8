// SPDX-License-Identifier: Apache-2.0
#include "simulation/script.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::simulation {

void script::call_after(core::duration pause, std::function<void()> what) {
    planned_.emplace(++plans_, std::move(what));
    client_.wake_after(pause, 0, plans_);
}

void script::wake(const worker_due& what) {
    const auto plan = planned_.extract(what.serial);
    plan.mapped()();
}

template <class F, class... A>
void script::run_soon(const F& handler, A... arguments) {
    if (handler) call_after({}, [handler, arguments...] { handler(arguments...); });
}

std::uint64_t script::acquire(core::acquire&& what, testing::simulated_call&& call) {
    const auto number = static_cast<std::uint64_t>(calls_.size()) + 1;
    calls_[number].handlers = std::move(call);
    call_after(
        {}, [this, number, what = std::move(what)]() mutable { take_up(number, std::move(what)); });
    return number;
}

void script::take_up(std::uint64_t number, core::acquire&& what) {
    auto& one = calls_.at(number);
    if (one.unwanted) {
        one.what = doing::done;
        return run_soon(one.handlers.on_failed, error{errc::cancelled});
    }
    if (one.handlers.timeout) what.deadline = client_.local_now() + *one.handlers.timeout;
    one.id = client_.next_id();
    by_id_.emplace(*one.id, number);
    client_.acquire(std::move(what));
}

void script::release(std::uint64_t number) {
    call_after({}, [this, number] {
        auto& one = calls_.at(number);
        if (!one.id) {
            one.unwanted = true;
        } else if (one.what == doing::waiting) {
            client_.cancel(*one.id);
        } else if (std::exchange(one.what, doing::done) == doing::holding) {
            client_.release(*one.id);
        }
    });
}

std::optional<core::acquisition_id> script::granted(std::uint64_t number) const {
    const auto& one = calls_.at(number);
    return one.told ? one.id : std::nullopt;
}

void script::hear(const core::notice& what) {
    if (const auto found = by_id_.find(what.who); found != by_id_.end())
        tell(calls_.at(found->second), what);
}

void script::tell(one_call& one, const core::notice& what) {
    const auto& handlers = one.handlers;
    if (const auto* grant = std::get_if<core::granted>(&what.what)) {
        one.what = doing::holding;
        call_after({}, [&one, token = grant->token] {
            one.told = true;
            if (one.handlers.on_granted) one.handlers.on_granted(token);
        });
        if (stopping_) release(by_id_.at(what.who));
    } else if (const auto* failure = std::get_if<core::failed>(&what.what)) {
        one.what = doing::done;
        run_soon(handlers.on_failed, failure->why);
    } else if (const auto* loss = std::get_if<core::lost>(&what.what)) {
        one.what = doing::done;
        run_soon(handlers.on_lost, loss->why);
    } else if (const auto* place = std::get_if<core::queued>(&what.what)) {
        run_soon(handlers.on_queued, place->ahead);
    }
}

void script::stop() {
    stopping_ = true;
    for (const auto& [number, one] : calls_)
        if (one.what != doing::done) release(number);
}

bool script::at_rest() const {
    return planned_.empty() && std::all_of(calls_.begin(), calls_.end(), [](const auto& one) {
               return one.second.what == doing::done;
           });
}

}  // namespace turnstile::simulation
