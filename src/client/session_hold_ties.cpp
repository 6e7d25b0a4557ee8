// SPDX-License-Identifier: Apache-2.0
// The end of a hold tells `lost()`, and what is tied to it; and holds that are made of several: what is lost with
// another one, and the token that goes on under it.
#include <algorithm>

#include "client/session_hold.hpp"
#include "client/session_runner.hpp"

namespace turnstile::detail {

// What a shared contender calls is our own, and does not wait behind the user's.
bool session_hold::post_trigger() {
    const auto& services = session_->services();
    const auto& threads = user_->on_contended ? services.chores : services.losses;
    return threads->post([self = shared_from_this()] { self->trigger_lost(); });
}

void session_hold::trigger_lost() {
    std::shared_ptr<session_hold> other;
    std::optional<error> why;
    {
        const base::scoped_lock lock{mutex_};
        other = held_->tied.lock();
        if (why_) why = *why_;
    }
    if (other && why) other->lose(*why);
    std::stop_source{rights_->lost}.request_stop();
}

void session_hold::tie(const std::shared_ptr<session_hold>& other) {
    std::optional<error> why;
    {
        const base::scoped_lock lock{mutex_};
        held_.change().tied = other;
        if (phase_ == phase::lost) why = *why_;
    }
    if (why) other->lose(*why);
}

void session_hold::lose(const error& why) {
    bool waits = false;
    {
        const base::scoped_lock lock{mutex_};
        waits = phase_ == phase::waiting;
        if (!waits) {
            if (phase_ != phase::held || released_) return;
            on_loss(why);
            changed_.notify_all();
        }
    }
    if (waits) return cancel(why);
    session_->services().callbacks->pump();
    if (!post_trigger()) trigger_lost();  // a client that has closed has no such threads any more
    session_->leave(id_, why);
}

core::contender_kind session_hold::kind() const {
    const base::scoped_lock lock{mutex_};
    return held_->kind;
}

void session_hold::raise_token(const turnstile::fencing_token& token) {
    const base::scoped_lock lock{mutex_};
    auto& mine = held_.change();
    mine.token = std::max(mine.token, token);
}

}  // namespace turnstile::detail
