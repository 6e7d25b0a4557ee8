// SPDX-License-Identifier: Apache-2.0
// The standard forms of shared_mutex, and Boost's conversions.
#include <utility>

#include "recipe/lock/shared_mutex.hpp"

namespace turnstile {

namespace {

// The calling thread's hold, which is of this kind. A hold that is over is taken for what it was.
guard take_own(detail::standard_forms& threads, const std::string& path, contender_kind kind) {
    auto own = threads.take(path);
    const auto held = detail::kind_held(path, own);
    if (held && *held != detail::core_kind(kind) && own.valid()) {
        threads.keep_or_throw(std::move(own));
        throw_error({errc::not_owner,
                     path + ": this thread does not hold it as " + to_string(kind) + " does"});
    }
    return own;
}

}  // namespace

void shared_mutex::take(contender_kind kind) {
    state_->threads.forbid_own(path());
    state_->threads.keep_or_throw(state_->queue->acquire({}, {detail::core_kind(kind)}));
}

bool shared_mutex::try_take(contender_kind kind) {
    auto& threads = state_->threads;
    return !threads.has_own() &&
           threads.keep(state_->queue->try_acquire({}, {detail::core_kind(kind)}));
}

bool shared_mutex::try_within(contender_kind kind, boottime_clock::duration left) {
    if (left.count() == 0) return try_take(kind);
    auto& threads = state_->threads;
    return !threads.has_own() &&
           threads.keep(state_->queue->acquire({.timeout = left}, {detail::core_kind(kind)}));
}

void shared_mutex::give_back(contender_kind kind) {
    take_own(state_->threads, path(), kind).unlock();
}

void shared_mutex::convert_down(contender_kind from, contender_kind to) {
    auto own = take_own(state_->threads, path(), from);
    const auto done = detail::downgrade(path(), own, detail::core_kind(to));
    const bool over = !own.status();
    state_->threads.keep_or_throw(std::move(own));
    if (!done && !over) throw_error(done.error());
}

void shared_mutex::unlock_upgrade_and_lock() {
    auto own = take_own(state_->threads, path(), contender_kind::upgradable);
    const auto done = upgrade(own);
    state_->threads.keep_or_throw(std::move(own));
    if (!done) detail::throw_from_lock(done.error());
}

bool shared_mutex::try_unlock_upgrade_and_lock() {
    auto own = take_own(state_->threads, path(), contender_kind::upgradable);
    const auto done = try_upgrade(own);
    state_->threads.keep_or_throw(std::move(own));
    return detail::standard_forms::taken(done);
}

bool shared_mutex::try_upgrade_within(boottime_clock::duration left) {
    if (left.count() == 0) return try_unlock_upgrade_and_lock();
    auto own = take_own(state_->threads, path(), contender_kind::upgradable);
    const auto done = upgrade(own, {.timeout = left});
    state_->threads.keep_or_throw(std::move(own));
    return detail::standard_forms::taken(done);
}

const guard* shared_mutex::current() const noexcept {
    return state_->threads.own();
}

}  // namespace turnstile
