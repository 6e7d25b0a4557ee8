// SPDX-License-Identifier: Apache-2.0
// coroutine_task: a minimal coroutine type for tests. A coroutine starts at once. Its creator owns it, and may destroy
// it while it is suspended or after its end.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "turnstile/testing/event.hpp"

namespace turnstile::tests {

class coroutine_task {
public:
    struct promise_type {
        testing::event done;
        std::exception_ptr failure;

        coroutine_task get_return_object() {
            return coroutine_task{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        // Reports that the coroutine is finally suspended and can be destroyed.
        auto final_suspend() noexcept {
            struct tell {
                bool await_ready() noexcept { return false; }
                void await_suspend(std::coroutine_handle<promise_type> self) noexcept {
                    self.promise().done.set();
                }
                void await_resume() noexcept {}
            };
            return tell{};
        }
        void return_void() {}
        void unhandled_exception() { failure = std::current_exception(); }
    };

    coroutine_task(coroutine_task&& other) noexcept
        : handle_{std::exchange(other.handle_, nullptr)} {}
    coroutine_task& operator=(coroutine_task&&) = delete;
    ~coroutine_task() { destroy(); }

    [[nodiscard]] bool wait() const { return handle_.promise().done.wait(); }
    [[nodiscard]] bool finished() const { return handle_.promise().done.is_set(); }
    // Throws the coroutine's exception, if it has one.
    void rethrow() const {
        if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    }
    // Resumes the coroutine, as its owner may do after it has given up waiting.
    void resume() const { handle_.resume(); }
    void destroy() {
        if (const auto handle = std::exchange(handle_, nullptr)) handle.destroy();
    }

private:
    explicit coroutine_task(std::coroutine_handle<promise_type> handle) : handle_{handle} {}

    std::coroutine_handle<promise_type> handle_;
};

}  // namespace turnstile::tests
