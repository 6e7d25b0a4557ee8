// thread_holds: the holds that the standard forms (lock, unlock) keep for their threads.
//
// Each belongs to the thread that took it, so that nobody unlocks another's (F35), also when the first
// hold was lost and somebody else has the lock by now. A thread is known by a number of our own: the
// system gives the id of a thread that has ended to the next one.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>

#include "base/mutex.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

class thread_holds {
public:
    // True if the calling thread has one.
    [[nodiscard]] bool has_own() const {
        const base::scoped_lock lock{mutex_};
        return holds_.contains(this_thread());
    }
    void keep(guard&& hold) {
        const base::scoped_lock lock{mutex_};
        holds_.insert_or_assign(this_thread(), std::move(hold));
    }
    // An empty guard if the calling thread has none.
    [[nodiscard]] guard take_own() {
        const base::scoped_lock lock{mutex_};
        auto found = holds_.extract(this_thread());
        return found ? std::move(found.mapped()) : guard{};
    }
    // Stays where it is until the thread takes it.
    [[nodiscard]] const guard* own() const {
        const base::scoped_lock lock{mutex_};
        const auto found = holds_.find(this_thread());
        return found == holds_.end() ? nullptr : &found->second;
    }

private:
    static std::uint64_t this_thread() noexcept {
        static std::atomic<std::uint64_t> last{0};
        thread_local const std::uint64_t t_mine = ++last;
        return t_mine;
    }

    mutable base::mutex mutex_;
    std::map<std::uint64_t, guard> holds_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
