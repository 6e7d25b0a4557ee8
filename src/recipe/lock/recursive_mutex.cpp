// SPDX-License-Identifier: Apache-2.0
#include "turnstile/recursive_mutex.hpp"

#include <deque>
#include <map>
#include <utility>

#include "base/process.hpp"
#include "client/interruption.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/lock/reentrant_holds.hpp"
#include "recipe/lock/standard_forms.hpp"

namespace turnstile {

namespace {

// The guards from lock() and its variants: a stack for each thread. A forked child has no guards.
class thread_stacks {
public:
    void push(guard&& hold) {
        const base::lock_guard lock{mutex_};
        stacks_[owner::calling_thread()].push_back(std::move(hold));
    }
    // Removes and returns the calling thread's latest guard; an empty guard if it has none.
    [[nodiscard]] guard pop() {
        if (process_.forked()) return {};
        const base::lock_guard lock{mutex_};
        const auto found = stacks_.find(owner::calling_thread());
        if (found == stacks_.end()) return {};
        guard hold = std::move(found->second.back());
        found->second.pop_back();
        if (found->second.empty()) stacks_.erase(found);
        return hold;
    }
    // Returns the calling thread's latest guard; null if it has none. The next pop() empties that guard.
    [[nodiscard]] const guard* top() const {
        if (process_.forked()) return nullptr;
        const base::lock_guard lock{mutex_};
        const auto found = stacks_.find(owner::calling_thread());
        return found == stacks_.end() ? nullptr : &found->second.back();
    }

private:
    const base::process_mark process_;
    mutable base::mutex mutex_;
    std::map<owner, std::deque<guard>> stacks_ GUARDED_BY(mutex_);
};

}  // namespace

class recursive_mutex::state {
public:
    state(const client& servers, std::string_view path, const lock_options& modes)
        : queue{servers, path, modes},
          holds{std::make_shared<detail::reentrant_holds>(queue.path())} {}

    result<guard> acquire(acquire_options&& options, owner identity, core::attempt mode) const {
        if (forked()) return queue.servers()->forked_error();
        const auto on_lost = std::exchange(options.on_lost, nullptr);
        if (auto again = holds->enter(identity, on_lost)) return std::move(*again);
        try {
            return holds->entered(identity, queue.acquire(std::move(options), core::claim{}, mode),
                                  on_lost);
        } catch (...) {
            holds->gave_up(identity);
            throw;
        }
    }

    void async_acquire(acquire_options&& options, owner identity,
                       std::function<void(result<guard>)>&& handler) const {
        if (forked()) return handler(queue.servers()->forked_error());
        const auto on_lost = std::exchange(options.on_lost, nullptr);
        if (auto again = holds->enter(identity, on_lost)) {
            const auto outcome = std::make_shared<result<guard>>(std::move(*again));
            queue.servers()->post(
                [handler = std::move(handler), outcome] { handler(std::move(*outcome)); });
            return;
        }
        try {
            queue.async_acquire(std::move(options), core::claim{},
                                [table = holds, identity, on_lost,
                                 handler = std::move(handler)](result<guard> outcome) {
                                    handler(table->entered(identity, std::move(outcome), on_lost));
                                });
        } catch (...) {
            holds->gave_up(identity);
            throw;
        }
    }

    // True in a forked child, where the mutex of `holds` may be locked for ever.
    [[nodiscard]] bool forked() const noexcept { return queue.servers()->forked(); }

    const detail::queue_lock queue;
    const std::shared_ptr<detail::reentrant_holds> holds;
    thread_stacks threads;
};

recursive_mutex::recursive_mutex(const client& servers, std::string_view path)
    : recursive_mutex{servers, path, lock_options{}} {}

recursive_mutex::recursive_mutex(const client& servers, std::string_view path,
                                 const lock_options& modes)
    : state_{new state{servers, path, modes}} {}

recursive_mutex::~recursive_mutex() = default;

const std::string& recursive_mutex::path() const noexcept {
    return state_->queue.path();
}

// ---- acquire and its variants ----------------------------------------------------------------

result<guard> recursive_mutex::acquire(acquire_options options, owner identity) {
    return state_->acquire(std::move(options), identity, core::attempt::wait);
}

result<guard> recursive_mutex::try_acquire(acquire_options options, owner identity) {
    return state_->acquire(std::move(options), identity, core::attempt::once);
}

void recursive_mutex::async_acquire(acquire_options options, owner identity,
                                    std::function<void(result<guard>)> handler) {
    if (!handler) throw_error({errc::bad_option, "async_acquire: the handler is empty"});
    if (identity.is_thread()) {
        throw_error({errc::bad_option, "async_acquire: " + identity.to_string() +
                                           " cannot be the owner, because the handler runs on "
                                           "another thread; use owner::make()"});
    }
    state_->async_acquire(std::move(options), identity, std::move(handler));
}

std::size_t recursive_mutex::count(owner identity) const {
    return state_->forked() ? 0 : state_->holds->count(identity);
}

// ---- queries --------------------------------------------------------------------------------

result<bool> recursive_mutex::is_locked(const query_options& options) const {
    return state_->queue.is_locked(options);
}

result<std::vector<contender>> recursive_mutex::queue(const query_options& options) const {
    return state_->queue.queue(options);
}

result<std::optional<contender>> recursive_mutex::holder(const query_options& options) const {
    return state_->queue.head(options);
}

result<std::size_t> recursive_mutex::position(const guard& hold,
                                              const query_options& options) const {
    return state_->queue.position(hold, options);
}

// ---- functions of the standard's lock types ---------------------------------------------------

void recursive_mutex::take() {
    auto outcome = acquire();
    if (!outcome) detail::throw_from_lock(outcome.error());
    state_->threads.push(std::move(*outcome));
}

bool recursive_mutex::try_take(boottime_clock::duration left) {
    auto outcome = acquire({.timeout = left});
    if (!detail::standard_forms::taken(outcome)) return false;
    state_->threads.push(std::move(*outcome));
    return true;
}

void recursive_mutex::give_back() {
    auto hold = state_->threads.pop();
    if (!hold) throw_error(detail::standard_forms::no_hold_of_thread(path()));
    hold.unlock();
}

const guard* recursive_mutex::own() const noexcept {
    return state_->threads.top();
}

}  // namespace turnstile
