// SPDX-License-Identifier: Apache-2.0
#include "client/listeners.hpp"

#include <algorithm>
#include <utility>

#include <boost/thread/recursive_mutex.hpp>

#include "client/internals.hpp"
#include "client/user_code.hpp"

namespace turnstile::detail {

namespace {

// If at least this many changes are undelivered, a new change replaces the last undelivered change. Exceptions: the
// last change belongs to another session, or must_be_told() is true for its state.
constexpr std::size_t k_unmerged = 64;

bool must_be_told(session_state state) {
    return state == session_state::lost || state == session_state::auth_failed ||
           state == session_state::closed;
}

}  // namespace

// A listener with its lock. The listener is called under this lock, so that the handle's destructor can wait for a
// running call. The lock is recursive because the listener may destroy its own handle.
struct listeners::registration {
    boost::recursive_mutex calling;
    function listener;
    std::uint64_t after = 0;  // number of the last change before the registration

    void call(const session_change& step) {
        const boost::unique_lock<boost::recursive_mutex> lock{calling};
        if (!listener) return;
        const auto copy = listener;  // a copy, since the listener may end its own registration
        run_user_code("a listener", [&] { copy(step); });
    }
    void end() {
        function unused;  // destroyed under no lock
        const boost::unique_lock<boost::recursive_mutex> lock{calling};
        unused.swap(listener);
    }
};

void listeners::publish(const session_change& step) {
    const base::lock_guard lock{mutex_};
    if (step.session == 0 && step.to == session_state::closed) closed_ = step;
    const auto number = ++published_;
    if (pending_.size() >= k_unmerged) {
        auto& last = pending_.back();
        if (last.step.session == step.session && !must_be_told(last.step.to)) {
            last.number = number;
            last.step.to = step.to;
            last.step.epoch = step.epoch;
            return;
        }
    }
    pending_.push_back({number, step});
    callbacks_->post([self = shared_from_this()] { self->deliver(); });
}

void listeners::deliver() {
    numbered next;
    std::vector<std::shared_ptr<registration>> now;
    {
        const base::lock_guard lock{mutex_};
        next = pending_.front();
        pending_.pop_front();
        std::erase_if(registered_, [](const auto& entry) { return entry.expired(); });
        for (const auto& entry : registered_) now.push_back(entry.lock());
    }
    for (const auto& entry : now)
        if (entry && entry->after < next.number) entry->call(next.step);
}

listener_handle listeners::add(function listener) {
    auto entry = std::make_shared<registration>();
    entry->listener = std::move(listener);
    {
        const base::lock_guard lock{mutex_};
        entry->after = published_;
        registered_.push_back(entry);
        if (closed_) callbacks_->post([entry, step = *closed_] { entry->call(step); });
    }
    callbacks_->pump();
    return internals::make_handle([entry] { entry->end(); });
}

}  // namespace turnstile::detail
