// SPDX-License-Identifier: Apache-2.0
// shared_mutex: a fair lock between processes with readers, writers, and readers that may become writers.
//
// Purpose: any number of readers at once, or one writer, granted in the order of arrival.
//
//     turnstile::shared_mutex prices{servers, "/locks/prices"};
//     if (auto hold = prices.acquire_shared({.timeout = 2s})) show();
//     if (auto hold = prices.acquire_upgrade({.timeout = 2s})) {
//         if (out_of_date() && prices.upgrade(*hold, {.timeout = 2s})) refresh(hold->fencing_token());
//     }
//     std::shared_lock reading{prices};
//     std::unique_lock writing{prices};
//
// | holds           | together with                  | may become                                       |
// |-----------------|--------------------------------|--------------------------------------------------|
// | reader          | readers, one upgradable reader | nothing else                                     |
// | upgradable      | readers                        | writer (upgrade), reader (downgrade)             |
// | writer          | none                           | upgradable, reader (downgrade)                   |
//
// Fair: a waiter is granted before those that came later and exclude it. A waiting writer is not
// starved by readers; readers that came before it share. The one exception is named: an upgrade passes
// the writers that wait, since they wait for the upgradable hold that becomes a writer's.
//
// Each conversion is made without a gap: no other client can hold the lock as a writer in between. There
// is one upgradable hold at a time, so two upgrades cannot wait for each other. An upgrade waits for the
// readers that hold: a caller that holds the lock as a reader as well waits for itself.
//
// Fencing tokens: of two holds that exclude each other the later has the larger token; readers that
// hold together are not ordered. A conversion makes the guard's token larger.
//
// Protocol: Curator's InterProcessReadWriteLock (`_c_<uuid>-__READ__<n>`, `-__WRIT__<n>`), which on the same
// path takes part in the same queue and takes an upgradable reader for a reader, an upgrade for a writer.
// docs/why/shared-mutex.md has each step with what happens when it goes wrong.
//
// Thread safety: all members from any thread, a guard by one at a time. A shared_mutex must not be
// destroyed while a call on it is under way; asynchronous acquisitions, views and guards may outlive it.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/coroutine.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/timed_lockable.hpp"

namespace turnstile {

namespace detail {
class queue_lock;
}

// A shared_mutex as code sees it that knows one way to take a lock: acquire(). Thread safety: as
// shared_mutex; it may outlive it.
class TURNSTILE_EXPORT shared_mutex_view : public awaitable_lock<shared_mutex_view> {
public:
    [[nodiscard]] const std::string& path() const noexcept;
    [[nodiscard]] contender_kind kind() const noexcept { return kind_; }

    // As the members of shared_mutex for this kind.
    result<guard> acquire(acquire_options options = {}) const;
    result<guard> try_acquire(acquire_options options = {}) const;
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler) const;
    using awaitable_lock<shared_mutex_view>::async_acquire;

private:
    friend class shared_mutex;
    shared_mutex_view(std::shared_ptr<const detail::queue_lock> queue, contender_kind kind)
        : queue_{std::move(queue)}, kind_{kind} {}

    std::shared_ptr<const detail::queue_lock> queue_;
    contender_kind kind_;
};

// What comes of an upgrade in a coroutine: the hold, upgraded or as it was, and why. Empty only if the coroutine
// was resumed by its owner.
struct upgraded_guard {
    upgraded_guard(guard of, result<void> how) : hold{std::move(of)}, outcome{std::move(how)} {}
    explicit upgraded_guard(error why) : outcome{std::move(why)} {}

    guard hold{};
    result<void> outcome;
};

class TURNSTILE_EXPORT shared_mutex : public awaitable_lock<shared_mutex> {
public:
    // Throws std::system_error: bad_path, the message naming the path and the rule; closed, for a client
    // that was moved from. Sends nothing.
    shared_mutex(const client& servers, std::string_view path);
    // Gives up what the standard forms hold.
    ~shared_mutex();
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;

    // Wait for the lock: as a writer, as a reader, as an upgradable reader. Errors as mutex::acquire().
    result<guard> acquire(acquire_options options = {});
    result<guard> acquire_shared(acquire_options options = {});
    result<guard> acquire_upgrade(acquire_options options = {});
    // The same if no contender that excludes it is ahead, else `busy`. As mutex::try_acquire().
    result<guard> try_acquire(acquire_options options = {});
    result<guard> try_acquire_shared(acquire_options options = {});
    result<guard> try_acquire_upgrade(acquire_options options = {});
    // No thread waits. As mutex::async_acquire().
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);
    void async_acquire_shared(acquire_options options, std::function<void(result<guard>)> handler);
    void async_acquire_upgrade(acquire_options options, std::function<void(result<guard>)> handler);
    // To be awaited: see coroutine.hpp.
    using awaitable_lock<shared_mutex>::async_acquire;
    template <awaitable_options O, std::same_as<executor> E>
    acquisition_awaitable<result<guard>> async_acquire_shared(O&& options, E resume_on) {
        return await_view(readers(), detail::options_of(options), std::move(resume_on));
    }
    template <std::same_as<executor> E>
    acquisition_awaitable<result<guard>> async_acquire_shared(E resume_on) {
        return await_view(readers(), {}, std::move(resume_on));
    }
    template <awaitable_options O, std::same_as<executor> E>
    acquisition_awaitable<result<guard>> async_acquire_upgrade(O&& options, E resume_on) {
        return await_view(upgraders(), detail::options_of(options), std::move(resume_on));
    }
    template <std::same_as<executor> E>
    acquisition_awaitable<result<guard>> async_acquire_upgrade(E resume_on) {
        return await_view(upgraders(), {}, std::move(resume_on));
    }

    // Writer to upgradable reader or reader, upgradable reader to reader. The guard stays the same hold: what
    // was registered with it goes on, its znode keeps its place under a new name. Waits for the servers'
    // answer, no longer than the lease; no interruption point. Nothing is done if the hold is that already.
    // Errors: not_held; what status() says of a hold that is over; no_permission; bad_option: the guard is
    // of something else, or a reader's that cannot become upgradable. The hold is as it was then.
    result<void> downgrade_to_upgradable(guard& hold);
    result<void> downgrade_to_shared(guard& hold);

    // Upgradable reader to writer: waits until the other readers have gone; those that come meanwhile
    // wait. The guard becomes one over both; its loss is the loss of both, and what was registered
    // with it stays. On an error it holds what it held: all of acquire()'s, and
    //   bad_option   the guard is of something else, or a plain reader's
    //   too_many     the session of the hold, in which this has to be, owns as many znodes as is safe
    // A writer's guard stays as it is. The options are those of a further acquisition; its on_lost is told
    // beside that of the first.
    result<void> upgrade(guard& hold, acquire_options options = {});
    // The same if no reader is in the way, else `busy`.
    result<void> try_upgrade(guard& hold, acquire_options options = {});
    // No thread waits. `handler` gets the guard back, upgraded or as it was. Throws bad_option if empty.
    void async_upgrade(guard hold, acquire_options options,
                       std::function<void(guard hold, result<void> outcome)> handler);
    // To be awaited. The hold is the await's until it is over: it is released with the coroutine.
    template <awaitable_options O, std::same_as<executor> E>
    acquisition_awaitable<upgraded_guard> async_upgrade(guard&& hold, O&& options, E resume_on) {
        const auto from = std::make_shared<guard>(std::move(hold));  // std::function copies
        using handler = std::function<void(upgraded_guard)>;
        return {[this, from](acquire_options how, handler done) {
                    async_upgrade(std::move(*from), std::move(how),
                                  [done](guard of, result<void> outcome) {
                                      done({std::move(of), std::move(outcome)});
                                  });
                },
                detail::options_of(options), std::move(resume_on)};
    }

    // For multi_lock and other code that knows one way to take a lock.
    [[nodiscard]] shared_mutex_view readers() const;
    [[nodiscard]] shared_mutex_view upgraders() const;
    [[nodiscard]] shared_mutex_view writers() const;

    // Queries; no lock needed, nothing changed. Errors as mutex's.
    [[nodiscard]] result<bool> is_locked(const query_options& options = {}) const;
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    // All that hold: a writer, or readers. An upgraded hold is two contenders: upgradable, and upgrade.
    [[nodiscard]] result<std::vector<contender>> holders(const query_options& options = {}) const;
    // How many contenders came before this guard's znode; `removed` when it is not in the queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

    // The standard forms (std::shared_lock, std::unique_lock, Boost's locks). A thread has at most one
    // hold of a shared_mutex by them, whatever its kind: with one, lock...() throws would_deadlock, the
    // try forms return false; also when it has been lost, until the thread unlocks. What they throw is
    // std::system_error, or boost::thread_interrupted. False: not taken, or no server in time.
    void lock() { take(contender_kind::writer); }
    void lock_shared() { take(contender_kind::reader); }
    void lock_upgrade() { take(contender_kind::upgradable); }
    bool try_lock() { return try_take(contender_kind::writer); }
    bool try_lock_shared() { return try_take(contender_kind::reader); }
    bool try_lock_upgrade() { return try_take(contender_kind::upgradable); }
    // With no time at all as the forms above, which wait for the servers' answer.
    template <duration_like D>
    bool try_lock_for(const D& timeout) {
        return try_within(contender_kind::writer, to_nanoseconds(timeout));
    }
    template <duration_like D>
    bool try_lock_shared_for(const D& timeout) {
        return try_within(contender_kind::reader, to_nanoseconds(timeout));
    }
    template <duration_like D>
    bool try_lock_upgrade_for(const D& timeout) {
        return try_within(contender_kind::upgradable, to_nanoseconds(timeout));
    }
    template <time_point_like T>
    bool try_lock_until(const T& time) {
        return try_within(contender_kind::writer, left_until(time));
    }
    template <time_point_like T>
    bool try_lock_shared_until(const T& time) {
        return try_within(contender_kind::reader, left_until(time));
    }
    template <time_point_like T>
    bool try_lock_upgrade_until(const T& time) {
        return try_within(contender_kind::upgradable, left_until(time));
    }
    // Throw not_owner if the calling thread holds nothing here, or something else. Return at once; the
    // znode is removed in the background.
    void unlock() { give_back(contender_kind::writer); }
    void unlock_shared() { give_back(contender_kind::reader); }
    void unlock_upgrade() { give_back(contender_kind::upgradable); }

    // Boost's conversions of the calling thread's hold. Downgrades of a hold that has been lost do nothing:
    // current()->status() tells.
    void unlock_and_lock_upgrade() {
        convert_down(contender_kind::writer, contender_kind::upgradable);
    }
    void unlock_and_lock_shared() { convert_down(contender_kind::writer, contender_kind::reader); }
    void unlock_upgrade_and_lock_shared() {
        convert_down(contender_kind::upgradable, contender_kind::reader);
    }
    // Throws what upgrade() returns; the thread keeps its upgradable hold then.
    void unlock_upgrade_and_lock();
    bool try_unlock_upgrade_and_lock();
    template <duration_like D>
    bool try_unlock_upgrade_and_lock_for(const D& timeout) {
        return try_upgrade_within(to_nanoseconds(timeout));
    }
    template <time_point_like T>
    bool try_unlock_upgrade_and_lock_until(const T& time) {
        return try_upgrade_within(left_until(time));
    }

    // The calling thread's hold by the standard forms, for its fencing token; nullptr if none.
    [[nodiscard]] const guard* current() const noexcept;

private:
    static acquisition_awaitable<result<guard>> await_view(shared_mutex_view view,
                                                           const acquire_options& options,
                                                           executor resume_on) {
        return {
            [view = std::move(view)](acquire_options how, std::function<void(result<guard>)> done) {
                view.async_acquire(std::move(how), std::move(done));
            },
            options, std::move(resume_on)};
    }
    void take(contender_kind kind);
    bool try_take(contender_kind kind);
    bool try_within(contender_kind kind, boottime_clock::duration left);
    void give_back(contender_kind kind);
    void convert_down(contender_kind from, contender_kind to);
    bool try_upgrade_within(boottime_clock::duration left);

    class state;
    std::shared_ptr<state> state_;
};

}  // namespace turnstile
