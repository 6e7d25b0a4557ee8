// SPDX-License-Identifier: Apache-2.0
// stand_in: replaces functions of the C library in programs that link it. A replacement calls the scheduler for a
// thread of a run, and the real function for any other thread.
//
// The dynamic linker searches the program before the C library, also for calls by Boost.Thread and the C++ library. So
// the shipped code runs unchanged. locks_stand_in.cpp replaces the functions for mutexes and conditions,
// threads_stand_in.cpp the functions for threads and futexes, and time_stand_in.cpp the functions for clocks, sleeps,
// timers and random numbers.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "schedule/scheduler.hpp"

#define STANDS_IN extern "C" __attribute__((visibility("default")))
#define CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace turnstile::schedule {

inline constexpr std::int64_t k_second = 1'000'000'000;

// A function of the C library. `version` selects one of several versions, because a plain look-up may find an old
// version.
//
// The first call looks up the function. The look-up must take no lock, because threads call it while they wait for
// their turn. A static with dynamic initialization would have a lock as its guard.
template <class F>
class real_one {
public:
    explicit constexpr real_one(const char* name, const char* version = nullptr)
        : name_{name}, version_{version} {}

    template <class... Arguments>
    auto operator()(Arguments... arguments) {
        auto* call = found_.load(std::memory_order_acquire);
        if (call == nullptr) found_.store(call = look_up(), std::memory_order_release);
        return call(arguments...);
    }

private:
    F* look_up() const {
        void* const found = version_ == nullptr ? nullptr : ::dlvsym(RTLD_NEXT, name_, version_);
        return reinterpret_cast<F*>(found != nullptr ? found : ::dlsym(RTLD_NEXT, name_));
    }

    const char* const name_;
    const char* const version_;
    std::atomic<F*> found_{nullptr};
};

inline std::uintptr_t id_of(const volatile void* object) noexcept {
    return reinterpret_cast<std::uintptr_t>(object);
}

inline std::int64_t to_ns(const timespec& when) noexcept {
    return when.tv_sec * k_second + when.tv_nsec;
}

}  // namespace turnstile::schedule
