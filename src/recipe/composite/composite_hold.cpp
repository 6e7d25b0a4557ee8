// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/composite_hold.hpp"

#include <algorithm>

#include "turnstile/timed_lockable.hpp"

namespace turnstile::detail {

composite_hold::composite_hold(acquire_options options, std::size_t parts)
    : options_{std::move(options)}, parts_(parts) {}

// ---- the parts ------------------------------------------------------------------------------

// All that was asked for, but what is the whole's.
acquire_options composite_hold::options_of_part(std::stop_token withdrawn) {
    auto made = options_;
    made.timeout = {};
    made.stop = std::move(withdrawn);
    made.on_entered = nullptr;
    made.on_queued = nullptr;
    made.on_lost = nullptr;
    made.max_hold = {};
    if (options_.on_asked_to_release) {
        made.on_asked_to_release = [weak = weak_from_this()](const release_request& request) {
            const auto self = weak.lock();
            if (self && self->handed()) self->options_.on_asked_to_release(request);
        };
    }
    if (options_.on_at_risk) {
        made.on_at_risk = [weak = weak_from_this()](boottime_clock::time_point) {
            const auto self = weak.lock();
            if (self && self->handed()) self->options_.on_at_risk(self->valid_until());
        };
    }
    if (options_.on_expiring) {
        made.on_expiring = [weak = weak_from_this()](boottime_clock::duration) {
            const auto self = weak.lock();
            if (!self || !self->handed()) return;
            const auto left = left_until(self->valid_until());
            if (self->is_short(left)) self->options_.on_expiring(left);
        };
    }
    return made;
}

std::uint64_t composite_hold::keep_part(std::size_t which, std::shared_ptr<hold> held) {
    parts_[which] = {std::move(held), nullptr, ++grants_};
    return grants_;
}

// May call back at once, in this thread: under no lock.
void composite_hold::watch_part(std::size_t which, std::uint64_t serial,
                                const std::stop_token& loss) {
    auto made = std::make_shared<stop_callback>(loss, [weak = weak_from_this(), which, serial] {
        if (const auto self = weak.lock()) self->on_part_lost(which, serial);
    });
    const base::scoped_lock lock{mutex_};
    if (parts_[which].serial == serial) parts_[which].loss = std::move(made);
    // Else it was given back meanwhile, and the callback has nothing left to do.
}

void composite_hold::give_back(std::vector<part>&& parts) {
    for (auto& one : parts) {
        one.loss.reset();
        one.held->unlock();
    }
}

std::vector<composite_hold::held_part> composite_hold::held_parts() const {
    std::vector<held_part> all;
    const base::scoped_lock lock{mutex_};
    for (auto i = parts_.size(); i-- > 0;)
        if (parts_[i].held) all.emplace_back(i, parts_[i].held);
    return all;
}

// ---- the whole ------------------------------------------------------------------------------

lease_evidence composite_hold::evidence() const noexcept {
    if (forked()) return lease_evidence::relayed;
    auto weakest = lease_evidence::direct;
    const base::scoped_lock lock{mutex_};
    for (const auto& one : parts_)
        if (one.held) weakest = std::max(weakest, one.held->evidence());  // assumed is the weakest
    return weakest;
}

bool composite_hold::handed() const {
    const base::scoped_lock lock{mutex_};
    return handed_ && !released_;
}

void composite_hold::tell_lost() {
    lost_source_.request_stop();
    std::vector<std::function<void(const error&)>> callbacks;
    {
        const base::scoped_lock lock{mutex_};
        if (!handed_) return;  // it is the call's outcome
        callbacks.swap(lost_callbacks_);
    }
    if (options_.on_lost) post_lost(options_.on_lost);
    for (auto& one : callbacks) post_lost(std::move(one));
}

void composite_hold::on_lost(std::function<void(const error&)> callback) {
    if (forked()) return;
    {
        const base::scoped_lock lock{mutex_};
        if (released_) return;
        if (!why_) {
            lost_callbacks_.push_back(std::move(callback));
            return;
        }
    }
    post_lost(std::move(callback));
}

result<void> composite_hold::released(const std::optional<error>& first) const {
    const base::scoped_lock lock{mutex_};
    if (why_) return *why_;
    if (first) return *first;
    return {};
}

}  // namespace turnstile::detail
