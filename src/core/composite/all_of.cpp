// SPDX-License-Identifier: Apache-2.0
#include "core/composite/all_of.hpp"

#include <cassert>

namespace turnstile::core {

void all_of::start() {
    assert(phase_ == phase::idle && !parts_.empty());
    phase_ = phase::acquiring;
    ask_for(0);
}

void all_of::ask_for(std::size_t part) {
    current_ = part;
    parts_[part] = has::asked;
    actions_.emplace_back(ask{part});
}

void all_of::on_granted(std::size_t part) {
    assert(phase_ == phase::acquiring && part == current_);
    parts_[part] = has::it;
    if (ending_ != ending::none) return answered();
    if (part + 1 != parts_.size()) return ask_for(part + 1);
    phase_ = phase::held;
    actions_.emplace_back(tell_granted{});
}

void all_of::on_refused(std::size_t part, refusal why) {
    assert(phase_ == phase::acquiring && part == current_);
    parts_[part] = has::nothing;
    // A reason of its own, a time-out for example, holds for a new start, too.
    if (ending_ == ending::none || why == refusal::own) return fail(part);
    answered();
}

// The last answer after which it ends, or starts over.
void all_of::answered() {
    if (ending_ == ending::fail) return fail(why_.value_or(current_));
    give_all_back();
    ending_ = ending::none;
    why_.reset();
    ask_for(0);
}

void all_of::on_lost(std::size_t part, after_loss next) {
    if (parts_[part] != has::it) return;
    parts_[part] = has::nothing;
    if (phase_ == phase::held) {  // place: part_of_a_hold_lost
        phase_ = phase::over;
        actions_.emplace_back(tell_lost{part});
        return give_all_back();
    }
    if (phase_ != phase::acquiring) return;  // place: part_lost_while_acquiring
    const bool first = ending_ == ending::none;
    if (next == after_loss::give_up && ending_ != ending::fail) {
        ending_ = ending::fail;
        why_ = part;
    } else if (first) {
        ending_ = ending::start_over;
    }
    if (first) actions_.emplace_back(withdraw{current_});
}

void all_of::leave() {
    if (phase_ == phase::held) {
        phase_ = phase::over;
        return give_all_back();
    }
    if (phase_ != phase::acquiring) return;
    const bool first = ending_ == ending::none;
    ending_ = ending::fail;
    if (first) actions_.emplace_back(withdraw{current_});
}

void all_of::give_all_back() {
    for (auto part = parts_.size(); part-- > 0;) {
        if (parts_[part] != has::it) continue;
        parts_[part] = has::nothing;
        actions_.emplace_back(give_back{part});
    }
}

void all_of::fail(std::size_t part) {
    phase_ = phase::over;
    give_all_back();  // place: refusal_gives_all_back
    actions_.emplace_back(tell_failed{part});
}

}  // namespace turnstile::core
