// SPDX-License-Identifier: Apache-2.0
// lockable: gives every lock the functions of the standard library's and Boost's mutexes (lock, try_lock_for, unlock
// and others).
//
// Use these functions with std::unique_lock, std::scoped_lock, std::shared_lock and Boost's locks, or in generic code.
//
//     if (std::unique_lock held{orders, 2s}; held) ship();
//     std::scoped_lock both{orders, stock};
//     log(orders.current()->fencing_token());
//
// | base             | functions                                            | locks                                |
// |------------------|------------------------------------------------------|--------------------------------------|
// | lockable         | lock, try_lock, try_lock_for, try_lock_until, unlock | all; shared_mutex, for writers       |
// | shared_lockable  | the same with ..._shared                             | shared_mutex, for readers            |
// | upgrade_lockable | the same with ..._upgrade; Boost's conversions       | shared_mutex, for upgradable readers |
//
// Holds. These functions store the hold in the lock object, for the calling thread. While the object stores a hold of
// that thread, of any kind, lock...() throws `would_deadlock` and try_lock...() returns false. (A recursive_mutex
// counts the entries instead.) A lost hold also stays in the object until the thread unlocks it. To report other
// errors, all of these functions throw std::system_error, or boost::thread_interrupted.
//
// try_lock...() returns false if another contender is ahead, or if no server answered in time. Even with a time of zero
// it waits for the servers' answer.
//
// unlock...() returns at once; the client removes the znode in the background. It throws `not_owner` if the object
// stores no hold of this kind for the calling thread. It does not report whether the hold had been lost; call
// current()->status() first.
//
// Times. Timeouts are of any duration type. Deadlines are time points of any clock, std's or Boost's. The call reads
// that clock once, when it begins, and ignores later changes of the clock. A time that is too far away means no limit,
// a time in the past means zero, and nothing overflows.
//
// With these bases acquire(), try_acquire(), async_acquire(), acquire_shared(), upgrade() and similar functions also
// take a timeout or a deadline in place of options: acquire(2s) is acquire({.timeout = 2s}). The parameters after the
// options stay the same.
//
// Thread safety: the same as the lock's.
#pragma once

#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// The base of every lock `L`. `L` befriends its bases, and has these members:
//     void take(), bool try_take(boottime_clock::duration left), void give_back(), const guard* own() const
// If `L` has several kinds of holds, each of these members takes the kind as its last argument, by default
// contender_kind::writer.
template <class L>
class lockable {
public:
    // Waits for the lock without a limit. Throws std::system_error, or boost::thread_interrupted.
    void lock() { self().take(); }
    // Tries to take the lock: once, until `timeout` has passed, or until the time point `time`. Returns false if the
    // call did not get the lock.
    [[nodiscard]] bool try_lock() { return self().try_take({}); }
    template <duration_like D>
    [[nodiscard]] bool try_lock_for(const D& timeout) {
        return self().try_take(to_nanoseconds(timeout));
    }
    template <time_point_like T>
    [[nodiscard]] bool try_lock_until(const T& time) {
        return self().try_take(left_until(time));
    }
    // Releases the calling thread's hold. Throws `not_owner` if this object stores no hold of the thread.
    void unlock() { self().give_back(); }

    // Acquires with a timeout or a deadline in place of options: acquire(2s) is acquire({.timeout = 2s}). `more` are
    // the arguments after the options, such as a handler.
    template <waiting_time W, class... More>
    result<guard> acquire(const W& limit, More&&... more) {
        return self().acquire(acquire_options{.timeout = limit}, std::forward<More>(more)...);
    }
    template <waiting_time W, class... More>
    result<guard> try_acquire(const W& limit, More&&... more) {
        return self().try_acquire(acquire_options{.timeout = limit}, std::forward<More>(more)...);
    }
    template <waiting_time W, class... More>
    void async_acquire(const W& limit, More&&... more) {
        self().async_acquire(acquire_options{.timeout = limit}, std::forward<More>(more)...);
    }

    // Returns the hold that this object stores for the calling thread, for example to get its fencing token; nullptr if
    // there is none.
    [[nodiscard]] const guard* current() const noexcept {
        return static_cast<const L&>(*this).own();
    }

private:
    friend L;  // only L derives from this class
    lockable() = default;
    ~lockable() = default;
    L& self() noexcept { return static_cast<L&>(*this); }
};

// The base of a lock `L` that readers can share.
template <class L>
class shared_lockable {
public:
    // Waits for the lock as lock() does, but takes it as a reader.
    void lock_shared() { self().take(k_kind); }
    // Tries to take the lock as try_lock(), try_lock_for() and try_lock_until() do, but as a reader.
    [[nodiscard]] bool try_lock_shared() { return self().try_take({}, k_kind); }
    template <duration_like D>
    [[nodiscard]] bool try_lock_shared_for(const D& timeout) {
        return self().try_take(to_nanoseconds(timeout), k_kind);
    }
    template <time_point_like T>
    [[nodiscard]] bool try_lock_shared_until(const T& time) {
        return self().try_take(left_until(time), k_kind);
    }
    // Releases the calling thread's hold as a reader. Throws `not_owner` if this object stores no such hold of the
    // thread.
    void unlock_shared() { self().give_back(k_kind); }

    // Acquires as a reader, with a timeout or a deadline `limit` in place of options.
    template <waiting_time W>
    result<guard> acquire_shared(const W& limit) {
        return self().acquire_shared(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<guard> try_acquire_shared(const W& limit) {
        return self().try_acquire_shared(acquire_options{.timeout = limit});
    }

private:
    friend L;
    static constexpr auto k_kind = contender_kind::reader;
    shared_lockable() = default;
    ~shared_lockable() = default;
    L& self() noexcept { return static_cast<L&>(*this); }
};

// The base of a lock `L` with upgradable readers (readers that may become the writer). `L` has these members for
// conversions:
//     void convert(contender_kind from, contender_kind to), bool try_convert_up(boottime_clock::duration left)
template <class L>
class upgrade_lockable {
public:
    // Waits for the lock as lock() does, but takes it as an upgradable reader.
    void lock_upgrade() { self().take(k_kind); }
    // Tries to take the lock as try_lock(), try_lock_for() and try_lock_until() do, but as an upgradable reader.
    [[nodiscard]] bool try_lock_upgrade() { return self().try_take({}, k_kind); }
    template <duration_like D>
    [[nodiscard]] bool try_lock_upgrade_for(const D& timeout) {
        return self().try_take(to_nanoseconds(timeout), k_kind);
    }
    template <time_point_like T>
    [[nodiscard]] bool try_lock_upgrade_until(const T& time) {
        return self().try_take(left_until(time), k_kind);
    }
    // Releases the calling thread's hold as an upgradable reader. Throws `not_owner` if this object stores no such hold
    // of the thread.
    void unlock_upgrade() { self().give_back(k_kind); }

    // Acquires as an upgradable reader, or upgrades `hold` to a writer, with a timeout or a deadline `limit` in place
    // of options.
    template <waiting_time W>
    result<guard> acquire_upgrade(const W& limit) {
        return self().acquire_upgrade(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<guard> try_acquire_upgrade(const W& limit) {
        return self().try_acquire_upgrade(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<void> upgrade(guard& hold, const W& limit) {
        return self().upgrade(hold, acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<void> try_upgrade(guard& hold, const W& limit) {
        return self().try_upgrade(hold, acquire_options{.timeout = limit});
    }

    // Convert the calling thread's hold to a weaker kind. These functions do not change a lost hold;
    // current()->status() gives the reason of the loss.
    void unlock_and_lock_upgrade() { self().convert(contender_kind::writer, k_kind); }
    void unlock_and_lock_shared() {
        self().convert(contender_kind::writer, contender_kind::reader);
    }
    void unlock_upgrade_and_lock_shared() { self().convert(k_kind, contender_kind::reader); }
    // Convert the calling thread's upgradable hold to a writer's hold. If that fails, unlock_upgrade_and_lock() throws
    // the error of upgrade(), and the thread keeps its upgradable hold.
    void unlock_upgrade_and_lock() { self().convert(k_kind, contender_kind::writer); }
    [[nodiscard]] bool try_unlock_upgrade_and_lock() { return self().try_convert_up({}); }
    template <duration_like D>
    [[nodiscard]] bool try_unlock_upgrade_and_lock_for(const D& timeout) {
        return self().try_convert_up(to_nanoseconds(timeout));
    }
    template <time_point_like T>
    [[nodiscard]] bool try_unlock_upgrade_and_lock_until(const T& time) {
        return self().try_convert_up(left_until(time));
    }

private:
    friend L;
    static constexpr auto k_kind = contender_kind::upgradable;
    upgrade_lockable() = default;
    ~upgrade_lockable() = default;
    L& self() noexcept { return static_cast<L&>(*this); }
};

}  // namespace turnstile
