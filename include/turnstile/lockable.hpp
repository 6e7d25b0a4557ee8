// SPDX-License-Identifier: Apache-2.0
// lockable: the standard's and Boost's names for taking a lock, written once for every recipe.
//
// Purpose: std::unique_lock, std::scoped_lock, std::shared_lock and Boost's locks take each recipe.
//
//     if (std::unique_lock held{orders, 2s}; held) ship();
//     std::scoped_lock both{orders, stock};
//     log(orders.current()->fencing_token());
//
// | base             | names                                                        | for                         |
// |------------------|--------------------------------------------------------------|-----------------------------|
// | lockable         | lock, try_lock, try_lock_for, try_lock_until, unlock         | all; a shared_mutex: writers|
// | shared_lockable  | the same with ..._shared                                     | shared_mutex: readers       |
// | upgrade_lockable | the same with ..._upgrade; Boost's conversions               | shared_mutex: upgradables   |
//
// A hold that is taken so is kept inside the lock, for the calling thread. While a thread has one, whatever its kind,
// lock...() throws would_deadlock and the try forms return false (recursive_mutex counts instead); so it is also
// when that hold has been lost, until the thread unlocks. They throw std::system_error, or
// boost::thread_interrupted.
//
// try_lock...: false if another contender is ahead, or no server answered in time. With no time at all it waits
// for the servers' answer all the same. unlock...: throws not_owner if the calling thread holds nothing here, or
// something else. It returns at once; the znode is removed in the background. It does not tell whether the
// hold had been lost: current()->status() does.
//
// Time-outs are of any duration type, time points of any clock, std's or Boost's. A time point is measured
// on its own clock once, when the call begins: after that, that clock may be set, and the call does not
// notice. What is too far away is for ever, what is past is no time at all; nothing overflows.
//
// The calls that return a hold are here with a time-out or deadline alone: acquire(2s) is acquire({.timeout = 2s}), and
// so with try_acquire(), async_acquire(), acquire_shared(), upgrade() and the others. What follows the options stays.
//
// Thread safety: that of the lock.
#pragma once

#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// `L` befriends its bases and has
//     void take(), bool try_take(boottime_clock::duration left), void give_back(), const guard* own() const
// A lock of several kinds takes the kind as a last argument, contender_kind::writer by default.
template <class L>
class lockable {
public:
    void lock() { self().take(); }
    [[nodiscard]] bool try_lock() { return self().try_take({}); }
    template <duration_like D>
    [[nodiscard]] bool try_lock_for(const D& timeout) {
        return self().try_take(to_nanoseconds(timeout));
    }
    template <time_point_like T>
    [[nodiscard]] bool try_lock_until(const T& time) {
        return self().try_take(left_until(time));
    }
    void unlock() { self().give_back(); }

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

    // The calling thread's hold by any of these names, for its fencing token; nullptr if none.
    [[nodiscard]] const guard* current() const noexcept {
        return static_cast<const L&>(*this).own();
    }

private:
    friend L;  // no other class derives from it
    lockable() = default;
    ~lockable() = default;
    L& self() noexcept { return static_cast<L&>(*this); }
};

template <class L>
class shared_lockable {
public:
    void lock_shared() { self().take(k_kind); }
    [[nodiscard]] bool try_lock_shared() { return self().try_take({}, k_kind); }
    template <duration_like D>
    [[nodiscard]] bool try_lock_shared_for(const D& timeout) {
        return self().try_take(to_nanoseconds(timeout), k_kind);
    }
    template <time_point_like T>
    [[nodiscard]] bool try_lock_shared_until(const T& time) {
        return self().try_take(left_until(time), k_kind);
    }
    void unlock_shared() { self().give_back(k_kind); }

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

// `L` has for the conversions also
//     void convert(contender_kind from, contender_kind to), bool try_convert_up(boottime_clock::duration left)
template <class L>
class upgrade_lockable {
public:
    void lock_upgrade() { self().take(k_kind); }
    [[nodiscard]] bool try_lock_upgrade() { return self().try_take({}, k_kind); }
    template <duration_like D>
    [[nodiscard]] bool try_lock_upgrade_for(const D& timeout) {
        return self().try_take(to_nanoseconds(timeout), k_kind);
    }
    template <time_point_like T>
    [[nodiscard]] bool try_lock_upgrade_until(const T& time) {
        return self().try_take(left_until(time), k_kind);
    }
    void unlock_upgrade() { self().give_back(k_kind); }

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

    // These convert the calling thread's hold. A downgrade of a lost hold does nothing:
    // current()->status() tells why.
    void unlock_and_lock_upgrade() { self().convert(contender_kind::writer, k_kind); }
    void unlock_and_lock_shared() {
        self().convert(contender_kind::writer, contender_kind::reader);
    }
    void unlock_upgrade_and_lock_shared() { self().convert(k_kind, contender_kind::reader); }
    // Upwards: throws what upgrade() returns, and the thread keeps its upgradable hold then.
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
