// SPDX-License-Identifier: Apache-2.0
// The functions of shared_mutex that the standard's lock types need, and Boost's conversions.
#include <utility>

#include "recipe/lock/shared_mutex.hpp"

namespace turnstile {

namespace {

// Removes and returns the calling thread's hold. Throws not_owner if the thread has no hold, or has a valid hold of
// another kind.
guard take_own(detail::standard_forms& threads, const std::string& path, contender_kind kind) {
    auto own = threads.take(path);
    const auto held = detail::kind_held(path, own);
    if (held && *held != detail::core_kind(kind) && own.valid()) {
        threads.keep_or_throw(std::move(own));
        throw_error({errc::not_owner, path + ", as " + to_string(kind) + " does"});
    }
    return own;
}

}  // namespace

void shared_mutex::take(contender_kind kind) {
    state_->threads.lock(state_->view(kind), path());
}

bool shared_mutex::try_take(boottime_clock::duration left, contender_kind kind) {
    return state_->threads.try_lock(state_->view(kind), left);
}

void shared_mutex::give_back(contender_kind kind) {
    take_own(state_->threads, path(), kind).unlock();
}

const guard* shared_mutex::own() const noexcept {
    return state_->threads.own();
}

void shared_mutex::convert(contender_kind from, contender_kind to) {
    auto own = take_own(state_->threads, path(), from);
    const bool up = to == contender_kind::writer;
    const auto done = up ? upgrade(own) : detail::downgrade(path(), own, detail::core_kind(to));
    const bool over = !own.status();
    state_->threads.keep_or_throw(std::move(own));
    if (done || (over && !up)) return;
    if (up) detail::throw_from_lock(done.error());
    throw_error(done.error());
}

bool shared_mutex::try_convert_up(boottime_clock::duration left) {
    auto own = take_own(state_->threads, path(), contender_kind::upgradable);
    const auto done = upgrade(own, {.timeout = left});
    state_->threads.keep_or_throw(std::move(own));
    return detail::standard_forms::taken(done);
}

}  // namespace turnstile
