// SPDX-License-Identifier: Apache-2.0
// Ties between holds. The loss of a hold triggers `lost()`, and also ends the hold that is tied to the lost hold.
// Recipes use ties for a lock that consists of several holds.
#include "base/out_of_memory.hpp"
#include "client/session_hold.hpp"

namespace turnstile::detail {

// A hold with a function in `on_contended_` belongs to a shared_contender. Its stop callback is the library's code, and
// runs on the library's workers, so that it does not wait for user code.
bool session_hold::post_trigger() {
    const auto& services = session_->services();
    const auto& threads = on_contended_.changed() ? services.workers : services.loss_callbacks;
    return threads->post(
        [self = shared_from_this()] { static_cast<session_hold&>(*self).trigger_all_lost(); });
}

void session_hold::trigger_all_lost() {
    std::shared_ptr<session_hold> other;
    std::optional<error> why;
    {
        const base::lock_guard lock{mutex_};
        other = held_->tied();
        why = state_.why();
    }
    if (other && why) other->lose_with(*why);
    trigger_lost();
}

void session_hold::tie(const std::shared_ptr<session_hold>& other) {
    std::optional<error> why;
    {
        const base::lock_guard lock{mutex_};
        held_.change().tie(other);
        if (state_.is_lost()) why = state_.why();
    }
    if (why) other->lose_with(*why);
}

void session_hold::lose_with(const error& why) {
    bool waits = false;
    {
        const base::lock_guard lock{mutex_};
        waits = state_.waits();
        if (!waits) {
            if (!state_.is_held() || state_.is_given_up()) return;
            session_->services().callbacks->post(lose(why));
            changed_.notify_all();
        }
    }
    if (waits) return cancel(why);
    session_->services().callbacks->pump();
    if (!post_trigger()) trigger_all_lost();  // a closed client has no such thread
    base::finish_or_end("a release", [&] { session_->tell(core::leave{id_, why}); });
}

core::claim_kind session_hold::kind() const {
    const base::lock_guard lock{mutex_};
    return held_->kind();
}

void session_hold::raise_token(const turnstile::fencing_token& token) {
    const base::lock_guard lock{mutex_};
    held_.change().raise_token(token);
}

}  // namespace turnstile::detail
