// SPDX-License-Identifier: Apache-2.0
#include "client/queued_wait.hpp"

#include <algorithm>
#include <utility>

#include "base/out_of_memory.hpp"

namespace turnstile::detail {

acquire_options queued_wait::options(acquire_options given) {
    on_queued_ = std::exchange(given.on_queued, nullptr);
    on_entered_ = std::exchange(given.on_entered, nullptr);
    given.on_entered = [self = shared_from_this()](const std::string& znode) {
        self->tell_znode(znode);
    };
    given.on_queued = [self = shared_from_this()](std::size_t ahead) { self->tell_place(ahead); };
    if (given.on_granted_at) {
        given.on_granted_at =
            [self = shared_from_this(),
             callback = std::move(given.on_granted_at)](boottime_clock::time_point granted_at) {
                if (self->begin_telling()) self->tell([&] { callback(granted_at); });
            };
    }
    if (given.stop.stop_possible()) {
        stop_.emplace(std::exchange(given.stop, {}),
                      [source = cancel_]() mutable { source.request_stop(); });
    }
    given.stop = cancel_.get_token();
    return given;
}

std::function<void(result<guard>)> queued_wait::handler() {
    return [self = shared_from_this()](result<guard> outcome) { self->arrive(std::move(outcome)); };
}

bool queued_wait::begin_telling() {
    const base::lock_guard lock{mutex_};
    telling_ = !over_;
    return telling_;
}

void queued_wait::tell(const std::function<void()>& callback) {
    const auto told = [this] {
        const base::lock_guard lock{mutex_};
        telling_ = false;
        changed_.notify_all();
    };
    try {
        callback();
    } catch (...) {
        told();
        throw;
    }
    told();
}

void queued_wait::tell_znode(const std::string& znode) {
    if (!begin_telling()) return;
    {
        const base::lock_guard lock{mutex_};
        base::finish_or_end("the position of a waiter", [&]() REQUIRES(mutex_) { znode_ = znode; });
    }
    tell([&] {
        if (on_entered_) on_entered_(znode);
    });
}

void queued_wait::tell_place(std::size_t ahead) {
    if (!begin_telling()) return;
    {
        const base::lock_guard lock{mutex_};
        if (std::exchange(ahead_, ahead) != ahead) unchanged_since_ = boottime_clock::now();
        changed_.notify_all();
    }
    tell([&] {
        if (on_queued_) on_queued_(ahead);
    });
}

void queued_wait::arrive(result<guard>&& outcome) {
    {
        const base::lock_guard lock{mutex_};
        if (over_) return;  // the outcome is dropped, because the caller no longer waits
        outcome_.emplace(std::move(outcome));
        changed_.notify_all();
    }
    answered_.request_stop();
}

std::string queued_wait::znode() const {
    const base::lock_guard lock{mutex_};
    return znode_;
}

queued_wait::woken_by queued_wait::wait(boottime_clock::duration unchanged_for,
                                        std::optional<boottime_clock::time_point> end) {
    base::unique_lock lock{mutex_};
    try {
        for (;;) {
            if (outcome_) return woken_by::outcome;
            const auto now = boottime_clock::now();
            if (end && now >= *end) return woken_by::end;
            if (ahead_ && now - unchanged_since_ >= unchanged_for) {
                unchanged_since_ = now;
                return woken_by::unchanged_place;
            }
            auto next = end;
            if (ahead_)
                next = std::min(next.value_or(boottime_clock::time_point::max()),
                                unchanged_since_ + unchanged_for);
            if (next) {
                changed_.wait_until(lock, *next);
            } else {
                changed_.wait(lock);
            }
        }
    } catch (const boost::thread_interrupted&) {
        return woken_by::interruption;
    }
}

result<guard> queued_wait::cancel() {
    const boost::this_thread::disable_interruption uninterrupted;
    cancel_.request_stop();
    {
        base::unique_lock lock{mutex_};
        while (!outcome_) changed_.wait(lock);
    }
    return take();
}

void queued_wait::abandon() {
    const boost::this_thread::disable_interruption uninterrupted;
    std::optional<result<guard>> unclaimed;  // released under no lock
    {
        base::unique_lock lock{mutex_};
        over_ = true;
        while (telling_) changed_.wait(lock);
        unclaimed = std::exchange(outcome_, std::nullopt);
    }
    cancel_.request_stop();
    stop_.reset();
}

result<guard> queued_wait::take() {
    stop_.reset();
    base::unique_lock lock{mutex_};
    over_ = true;
    auto outcome = std::move(*std::exchange(outcome_, std::nullopt));
    lock.unlock();
    if (outcome)
        if (const auto still = outcome->status(); !still) return still.error();
    return outcome;
}

}  // namespace turnstile::detail
