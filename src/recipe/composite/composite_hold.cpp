// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/composite_hold.hpp"

#include <algorithm>

#include "base/out_of_memory.hpp"
#include "client/session_hold.hpp"
#include "turnstile/lockable.hpp"

namespace turnstile::detail {

namespace {

base::cold<acquire_options> all(acquire_options&& options) {
    base::cold<acquire_options> kept;
    kept.change() = std::move(options);
    return kept;
}

}  // namespace

composite_hold::composite_hold(acquire_request&& request, composite kind, std::size_t parts)
    : call{all(std::move(request.options)), std::move(request.done)}, parts_(parts), kind_{kind} {}

// ---- the holds of the single locks ----------------------------------------------------------

template <class F>
void composite_hold::tell_as_whole(F&& callback) {
    if (has_holder()) callback();
}

acquire_options composite_hold::options_for_part(std::stop_token withdrawn) {
    const auto whole = [weak = weak_from_this()] {
        return std::static_pointer_cast<composite_hold>(weak.lock());
    };
    auto part = options_of_part(options(), kind_);
    part.stop = std::move(withdrawn);
    if (options().on_asked_to_release) {
        part.on_asked_to_release = [whole](const release_request& request) {
            if (const auto self = whole())
                self->tell_as_whole([&] { self->options().on_asked_to_release(request); });
        };
    }
    if (options().on_at_risk) {
        part.on_at_risk = [whole](boottime_clock::time_point) {
            if (const auto self = whole())
                self->tell_as_whole([&] { self->options().on_at_risk(self->valid_until()); });
        };
    }
    if (options().on_expiring) {
        part.on_expiring = [whole](boottime_clock::duration) {
            const auto self = whole();
            if (!self) return;
            const auto left = left_until(self->valid_until());
            if (self->is_short(left))
                self->tell_as_whole([&] { self->options().on_expiring(left); });
        };
    }
    return part;
}

std::uint64_t composite_hold::keep_part(std::size_t which, std::shared_ptr<hold> held) {
    parts_[which] = {std::move(held), nullptr, ++grants_};
    return grants_;
}

// Registers a callback that calls on_part_lost() when this part (the hold of one lock) is lost. The callback may run at
// once, in this thread, so the caller must own no mutex.
void composite_hold::watch_part(std::size_t which, std::uint64_t serial,
                                const std::stop_token& loss) {
    auto watch = std::make_shared<stop_callback>(loss, [weak = weak_from_this(), which, serial] {
        if (const auto self = std::static_pointer_cast<composite_hold>(weak.lock()))
            base::finish_or_end("the loss of one lock of several",
                                [&] { self->on_part_lost(which, serial); });
    });
    const base::lock_guard lock{mutex_};
    if (parts_[which].serial == serial) parts_[which].loss = std::move(watch);
    // If the hold was given back meanwhile, `watch` is destroyed here: no code needs to learn of the loss.
}

void composite_hold::give_back(std::vector<kept_part>&& parts) {
    std::vector<std::shared_ptr<hold>> holds;
    for (auto& part : parts) {
        part.loss.reset();
        holds.push_back(std::move(part.held));
    }
    unlock_together(holds);
}

std::vector<composite_hold::held_part> composite_hold::kept() const {
    std::vector<held_part> all;
    for (auto i = parts_.size(); i-- > 0;)
        if (parts_[i].held) all.emplace_back(i, parts_[i].held);
    return all;
}

std::vector<composite_hold::held_part> composite_hold::held_parts() const {
    const base::lock_guard lock{mutex_};
    return kept();
}

void composite_hold::note_given_back() {
    given_back_ = kept();
}

std::vector<composite_hold::held_part> composite_hold::given_back() const {
    const base::lock_guard lock{mutex_};
    return given_back_;
}

// ---- the hold of all locks together ----------------------------------------------------------

lease_evidence composite_hold::evidence() const noexcept {
    auto weakest = lease_evidence::direct;
    const base::lock_guard lock{mutex_};
    for (const auto& part : parts_)
        if (part.held)
            weakest = std::max(weakest, part.held->evidence());  // `assumed` is the weakest
    return weakest;
}

boottime_clock::duration composite_hold::release_limit() const {
    boottime_clock::duration longest{};
    for (const auto& [which, part] : held_parts())
        longest = std::max(longest, part->release_limit());
    return longest;
}

bool composite_hold::has_holder() const {
    const base::lock_guard lock{mutex_};
    return state_.is_handed() && !state_.is_given_up();
}

void composite_hold::tell_lost(std::vector<task>&& callbacks) {
    for (auto& callback : callbacks) post(std::move(callback));
    trigger_lost();
}

result<void> composite_hold::released(const std::optional<error>& first) const {
    const base::lock_guard lock{mutex_};
    if (state_.why()) return *state_.why();
    if (first) return *first;
    return {};
}

}  // namespace turnstile::detail
