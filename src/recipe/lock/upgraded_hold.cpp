// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/upgraded_hold.hpp"

#include <algorithm>

namespace turnstile::detail {

std::shared_ptr<session_hold> upgraded_hold::drop_upper() {
    const auto token = upper_->token();
    base_->raise_token(turnstile::fencing_token{token.zxid(), token.counter() + 1});
    upper_->unlock();
    return base_;
}

boottime_clock::time_point upgraded_hold::valid_until() const noexcept {
    return std::min(base_->valid_until(), upper_->valid_until());
}

boottime_clock::time_point upgraded_hold::certain_until() const noexcept {
    return std::min(base_->certain_until(), upper_->certain_until());
}

result<void> upgraded_hold::status() const {
    if (auto beneath = base_->status(); !beneath) return beneath;
    return upper_->status();
}

// Releases the hold of the upgrade (`upper_`) before the upgradable hold (`base_`). The servers carry out a session's
// requests in order, so no client sees the upgrade's znode without the upgradable contender's znode.
void upgraded_hold::unlock() noexcept {
    upper_->unlock();
    base_->unlock();
}

result<void> upgraded_hold::await_release(boottime_clock::time_point deadline) {
    const auto above = upper_->release(deadline);
    auto beneath = base_->release(deadline);
    return above ? beneath : above;
}

}  // namespace turnstile::detail
