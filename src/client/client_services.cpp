// SPDX-License-Identifier: Apache-2.0
#include "client/client_services.hpp"

#include <variant>

#include "base/overloaded.hpp"
#include "client/internals.hpp"
#include "client/runtime_impl.hpp"

namespace turnstile::detail {

void contender_counts::count(const core::notice& news) noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    const base::overloaded add{[this](const core::granted&) { granted.fetch_add(1, relaxed); },
                               [this](const core::failed&) { failed.fetch_add(1, relaxed); },
                               [this](const core::lost&) { lost.fetch_add(1, relaxed); },
                               [this](const core::gone&) { gone.fetch_add(1, relaxed); },
                               [](const core::entered&) {},
                               [](const core::position_known&) {},
                               [](const core::at_risk&) {},
                               [](const core::expiring&) {},
                               [](const core::asked_to_release&) {},
                               [](const core::contended&) {},
                               [](const core::renamed&) {}};
    std::visit(add, news.event);
}

void client_services::start_threads(const client_options& options) {
    if (options.runtime) {
        runtime = internals::of(options.runtime);
        if (runtime->forked())
            throw_error({errc::forked,
                         "the parent made the runtime; make another runtime in this process"});
        timers = runtime->new_timers();
        workers = runtime->new_workers();
        loss_callbacks = runtime->new_loss_callbacks();
        callbacks = runtime->new_callbacks(options.callbacks);
        return;
    }
    const runtime_options own;
    timers = std::make_shared<client_timers>(start_of(thread_duty::timers, own));
    workers = worker_pool::start({.start = start_of(thread_duty::work, own)});
    loss_callbacks = worker_pool::start({.start = start_of(thread_duty::loss_callbacks, own)});
    callbacks = callback_queue::start(options.callbacks, start_of(thread_duty::callbacks, own));
}

bool client_services::on_user_thread() const {
    return (callbacks && callbacks->on_this_thread()) || (workers && workers->on_this_thread()) ||
           (loss_callbacks && loss_callbacks->on_this_thread());
}

void client_services::end(std::chrono::milliseconds patience) const noexcept {
    if (timers) timers->stop();  // before the workers: the last timer calls may post tasks
    if (workers) workers->finish();
    if (loss_callbacks) loss_callbacks->finish();  // callbacks may wait for the workers' tasks
    if (callbacks) callbacks->finish(boottime_clock::now() + to_nanoseconds(patience));
}

}  // namespace turnstile::detail
