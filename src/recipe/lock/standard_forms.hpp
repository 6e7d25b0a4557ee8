// SPDX-License-Identifier: Apache-2.0
// standard_forms: what lock(), try_lock() and their kin make of an outcome, for every recipe: the hold is
// kept for the calling thread, "not taken" is `false`, everything else is thrown.
//
// Thread safety: all members from any thread.
#pragma once

#include <string>
#include <utility>

#include "client/interruption.hpp"
#include "client/thread_holds.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

// `L` has acquire().
class standard_forms {
public:
    [[nodiscard]] const guard* own() const { return holds_.own(); }

    // Throws would_deadlock if the calling thread has a hold already.
    template <class L>
    void lock(L& lock, const std::string& path) {
        if (holds_.has_own())
            throw_error({errc::would_deadlock, path + ": this thread holds it already"});
        keep_or_throw(lock.acquire());
    }
    // With no time left it tries. False if the calling thread has a hold already.
    template <class L>
    bool try_lock(L& lock, boottime_clock::duration left) {
        if (holds_.has_own()) return false;
        auto outcome = lock.acquire({.timeout = left});
        if (!taken(outcome)) return false;
        holds_.keep(std::move(*outcome));
        return true;
    }
    void keep_or_throw(result<guard>&& outcome) {
        if (!outcome) throw_from_lock(outcome.error());
        holds_.keep(std::move(*outcome));
    }

    // "Not taken" is the standard's `false`, whatever the reason was to wait in vain.
    template <class T>
    static bool taken(const result<T>& outcome) {
        if (outcome) return true;
        const auto& why = outcome.error();
        if (why != errc::busy && why != errc::timeout && why != errc::not_connected)
            throw_from_lock(why);
        return false;
    }
    // The calling thread's hold, which is its own from now on. Throws not_owner if there is none.
    [[nodiscard]] guard take(const std::string& path) {
        auto hold = holds_.take_own();
        if (!hold) throw_error({errc::not_owner, path});
        return hold;
    }

private:
    thread_holds holds_;
};

}  // namespace turnstile::detail
