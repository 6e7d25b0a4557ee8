// SPDX-License-Identifier: Apache-2.0
// The functions of multi_hold that a guard calls (multi_hold.hpp).
#include <algorithm>
#include <utility>

#include "base/out_of_memory.hpp"
#include "recipe/composite/multi_hold.hpp"

namespace turnstile::detail {

// ---- functions for the guard ----------------------------------------------------------------

bool multi_hold::is_certain() const noexcept {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const kept_part& part) { return part.held && part.held->valid(); });
}

error multi_hold::doubt() const {
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (!parts_[i].held) return {errc::not_held, path()};
        if (const auto status = parts_[i].held->status(); !status)
            return locks_.error_of(i, status.error());
    }
    return locks_.lease_ended();
}

boottime_clock::time_point multi_hold::certain_until() const noexcept {
    if (over_) return boottime_clock::time_point::min();
    const base::lock_guard lock{mutex_};
    return is_certain() ? record_.valid_until(parts_) : boottime_clock::time_point::min();
}

boottime_clock::time_point multi_hold::valid_until() const noexcept {
    const base::lock_guard lock{mutex_};
    return record_.valid_until(parts_);
}

fencing_token multi_hold::token() const noexcept {
    const base::lock_guard lock{mutex_};
    return record_.token(parts_);
}

fencing_vector multi_hold::tokens() const {
    const base::lock_guard lock{mutex_};
    return record_.tokens(parts_, locks_);
}

// Copies the tokens and the validity of the hold before the locks are given back, because the guard may still query the
// hold later.
void multi_hold::remember() {
    if (value_.now() == core::all_of::phase::held) record_.remember(parts_, locks_);
}

void multi_hold::leave(const error& /*why*/) noexcept {
    base::finish_or_end("the release of a multi_lock", [this] {
        decisions next;
        std::vector<kept_part> rest;  // the lost parts
        {
            const base::lock_guard lock{mutex_};
            remember();
            note_given_back();
            value_.leave();
            next = decide();
            for (auto& part : parts_)
                if (part.held) rest.push_back(std::exchange(part, {}));
        }
        execute(std::move(next));
        give_back(std::move(rest));
    });
}

// Returns the holds of the single locks, in the order of the locks. The client of the first hold sends the commit,
// which checks the znodes of the other holds.
result<hold::znode_holds> multi_hold::parts_for_commit() {
    if (const auto still = status(); !still) return still.error();
    znode_holds all;
    const auto held = held_parts();
    for (auto part = held.rbegin(); part != held.rend(); ++part) {
        auto those = part->second->parts_for_commit();
        if (!those) return those;
        all.insert(all.end(), those->begin(), those->end());
    }
    return all;
}

// The client of one lock, the last in the order, runs the callback. Until the guard is destroyed, this object keeps the
// hold of at least one lock, perhaps a lost hold.
void multi_hold::run_as_callback(task callback) {
    const auto all = held_parts();
    if (all.empty()) return callback();
    all.front().second->run_as_callback(std::move(callback));
}

// Waits for the releases of the single locks. All of them were started before.
result<void> multi_hold::await_release(boottime_clock::time_point deadline) {
    std::optional<error> first;
    for (const auto& [which, part] : given_back()) {
        const auto confirmed = part->release(deadline);
        if (confirmed) continue;
        if (!first) first = locks_.error_of(which, confirmed.error());
        if (confirmed.error() == errc::interrupted) break;
    }
    return released(first);
}

}  // namespace turnstile::detail
