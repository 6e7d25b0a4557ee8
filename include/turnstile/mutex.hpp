// mutex: a fair, exclusive lock between processes.
//
// Purpose: at most one valid hold on a path at any instant, granted in the order of arrival.
//
//     turnstile::mutex orders{servers, "/locks/orders"};
//     if (auto hold = orders.acquire({.timeout = 2s}); hold) ship(hold->fencing_token());
//     turnstile::with_lock(orders, [] { ship(); });
//     std::scoped_lock both{orders, stock};
//
// The primary calls return the hold as a value that belongs to no thread. The standard forms (lock,
// try_lock, try_lock_for, try_lock_until, unlock) keep the hold inside the mutex for the calling
// thread, so that std::unique_lock, std::scoped_lock and Boost's locks work; they throw
// std::system_error, or boost::thread_interrupted.
//
// Not recursive: an acquire() by a holder waits for itself like for anybody else (lock() by the same
// thread on the same object throws would_deadlock).
//
// Protocol: Apache ZooKeeper's lock recipe as corrected by Curator (ephemeral sequential znodes named
// `_c_<uuid>-lock-<number>`, each watching only its predecessor), so that Curator's
// InterProcessMutex and Go's samuel client on the same path take part in the same queue. docs/mutex.md
// has each step with what happens when it goes wrong.
//
// Thread safety: all members from any thread. A mutex must not be destroyed while a call on it is
// under way; asynchronous acquisitions and guards may outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile {

class TURNSTILE_EXPORT mutex {
public:
    // Throws std::system_error(bad_path), the message naming the path and the rule. Sends nothing.
    mutex(const client& servers, std::string_view path);
    // Gives up what the standard forms hold.
    ~mutex();
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;

    // Waits for the lock. Errors: timeout, cancelled, interrupted (the calling thread's Boost
    // interruption, taken by this call), session_lost (only with on_session_loss::fail), closed, forked,
    // auth_failed, no_permission, bad_path (the parent is ephemeral), no_chroot, server_too_old.
    // After each of them nothing of the call is left in the queue, or will be
    // removed as soon as the servers can be reached, or ends with the session.
    result<guard> acquire(acquire_options options = {});
    // Takes the lock if nobody is ahead, else `busy`. Waits only for the servers' answer, and for
    // that no longer than the options say (default: the session time-out, then `timeout`).
    result<guard> try_acquire(acquire_options options = {});
    // The asynchronous form: no thread waits. `handler` runs once on the callbacks' executor.
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // Queries; no lock needed, nothing changed. A znode that goes while we look is left out.
    [[nodiscard]] result<bool> is_locked(acquire_options options = {}) const;
    [[nodiscard]] result<std::vector<contender>> queue(acquire_options options = {}) const;
    // The head of the queue; an empty vector when there is none.
    [[nodiscard]] result<std::vector<contender>> holder(acquire_options options = {}) const;
    // How many contenders are ahead of this guard's znode; `removed` when it is not in the queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               acquire_options options = {}) const;

    // The standard forms.
    void lock();
    bool try_lock();
    template <duration_like D>
    bool try_lock_for(const D& timeout) {
        return lock_until(boottime_clock::now() + to_nanoseconds(timeout));
    }
    template <class T>
    bool try_lock_until(const T& time) {
        if constexpr (std::is_same_v<T, boottime_clock::time_point>) {
            return lock_until(time);
        } else {
            return try_lock_for(time - T::clock::now());
        }
    }
    // Throws not_owner if the calling thread holds nothing here. Returns at once; the znode is
    // removed in the background.
    void unlock();
    // The calling thread's hold by the standard forms, for its fencing token; nullptr if none.
    [[nodiscard]] const guard* current() const noexcept;

private:
    bool lock_until(boottime_clock::time_point deadline);

    class state;
    std::shared_ptr<state> state_;
};

// Calls `function()` or `function(guard&)` while holding `m`; returns its value, or why the lock was
// not taken. What the function throws is thrown on after the release.
template <class F>
auto with_lock(mutex& m, acquire_options options, F&& function) {
    const auto call = [&function](guard& hold) -> decltype(auto) {
        if constexpr (std::is_invocable_v<F, guard&>) {
            return std::forward<F>(function)(hold);
        } else {
            return std::forward<F>(function)();
        }
    };
    using value = std::decay_t<decltype(call(std::declval<guard&>()))>;
    auto hold = m.acquire(std::move(options));
    if (!hold) return result<value>{hold.error()};
    if constexpr (std::is_void_v<value>) {
        call(*hold);
        return result<void>{};
    } else {
        return result<value>{call(*hold)};
    }
}

template <class F>
auto with_lock(mutex& m, F&& function) {
    return with_lock(m, acquire_options{}, std::forward<F>(function));
}

}  // namespace turnstile
