// SPDX-License-Identifier: Apache-2.0
// Members and timers for the tests of the class `thread_crew` (threads that serve several members), and of the classes
// that use a crew.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "client/thread_crew.hpp"

namespace turnstile::detail {

inline const thread_start k_start{.duty = thread_duty::work, .name = "test-work"};

// A member of a crew. The crew's threads call take_turn(), which calls `work`, `turns` times in all.
class crew_worker final : public thread_crew::member {
public:
    explicit crew_worker(std::function<void()> work, int turns = 1)
        : work_{std::move(work)}, turns_{turns} {}
    bool take_turn() noexcept override {
        work_();
        return --turns_ != 0;
    }

private:
    const std::function<void()> work_;
    int turns_;
};

inline std::shared_ptr<crew_worker> working(std::function<void()> work, int turns = 1) {
    return std::make_shared<crew_worker>(std::move(work), turns);
}

inline std::shared_ptr<timer_thread> new_timers() {
    return std::make_shared<timer_thread>(
        thread_start{.duty = thread_duty::timers, .name = "test-timer"});
}

// Calls the function `call` on the timer thread.
class alarm final : public timer_thread::client {
public:
    explicit alarm(std::function<void()> call) : call_{std::move(call)} {}
    void on_timer() override { call_(); }

private:
    const std::function<void()> call_;
};

}  // namespace turnstile::detail
