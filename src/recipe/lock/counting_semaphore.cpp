// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <utility>

#include "base/mutex.hpp"
#include "base/out_of_memory.hpp"
#include "base/process.hpp"
#include "recipe/lock/standard_forms.hpp"
#include "turnstile/semaphore.hpp"

namespace turnstile {

class counting_semaphore::state {
public:
    explicit state(semaphore& of) : of_{of} {}

    [[nodiscard]] semaphore& of() const noexcept { return of_; }
    void keep(guard&& permit) {
        const base::lock_guard lock{mutex_};
        permits_.push_back(std::move(permit));
    }
    void give_back(std::ptrdiff_t count) {
        if (process_.forked())
            throw_error({errc::forked, of_.path() + ": the permits belong to the parent process"});
        std::deque<guard> gone;  // destroyed, and so released, under no lock
        const base::lock_guard lock{mutex_};
        if (count < 0 || static_cast<std::size_t>(count) > permits_.size()) {
            throw_error({errc::not_owner,
                         of_.path() + ": release(" + std::to_string(count) +
                             "): must be from 0 to the number of permits that this object holds, " +
                             std::to_string(permits_.size())});
        }
        base::finish_or_end("the release of permits", [&]() REQUIRES(mutex_) {
            for (; count > 0; --count) {
                gone.push_back(std::move(permits_.front()));
                permits_.pop_front();
            }
        });
    }
    [[nodiscard]] std::size_t held() const {
        if (process_.forked()) return 0;
        const base::lock_guard lock{mutex_};
        return permits_.size();
    }

private:
    semaphore& of_;
    const base::process_mark process_;
    mutable base::mutex mutex_;
    std::deque<guard> permits_ GUARDED_BY(mutex_);
};

counting_semaphore::counting_semaphore(semaphore& of) : state_{new state{of}} {}

counting_semaphore::~counting_semaphore() = default;

void counting_semaphore::acquire() {
    auto permit = state_->of().acquire();
    if (!permit) detail::throw_from_lock(permit.error());
    state_->keep(std::move(*permit));
}

bool counting_semaphore::try_acquire() {
    return try_acquire_within({});
}

bool counting_semaphore::try_acquire_within(boottime_clock::duration left) {
    auto permit = state_->of().acquire({.timeout = left});
    if (!detail::standard_forms::taken(permit)) return false;
    state_->keep(std::move(*permit));
    return true;
}

void counting_semaphore::release(std::ptrdiff_t update) {
    state_->give_back(update);
}

std::size_t counting_semaphore::held() const {
    return state_->held();
}

}  // namespace turnstile
