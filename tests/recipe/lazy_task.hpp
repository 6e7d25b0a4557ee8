// SPDX-License-Identifier: Apache-2.0
// lazy_task: a coroutine type in the form of L. Baker's cppcoro::task. The coroutine starts when another coroutine
// awaits it. At its end it continues that coroutine by symmetric transfer, so that any number of nested coroutines
// needs no stack.
//
//     lazy_task<int> inner();
//     lazy_task<int> outer() { co_return 1 + co_await inner(); }
//     const int sum = sync_wait(outer());
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "recipe/coroutine_task.hpp"

namespace turnstile::tests {

template <class T>
class lazy_task {
public:
    struct promise_type {
        std::coroutine_handle<> next = std::noop_coroutine();
        std::optional<T> value;
        std::exception_ptr failure;

        lazy_task get_return_object() {
            return lazy_task{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            struct go_over {
                bool await_ready() noexcept { return false; }
                std::coroutine_handle<> await_suspend(
                    std::coroutine_handle<promise_type> self) noexcept {
                    return self.promise().next;
                }
                void await_resume() noexcept {}
            };
            return go_over{};
        }
        void return_value(T returned) { value.emplace(std::move(returned)); }
        void unhandled_exception() { failure = std::current_exception(); }
    };

    lazy_task(lazy_task&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
    lazy_task& operator=(lazy_task&&) = delete;
    ~lazy_task() {
        if (handle_) handle_.destroy();
    }

    auto operator co_await() && noexcept {
        struct awaiter {
            std::coroutine_handle<promise_type> task;
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
                task.promise().next = waiter;
                return task;
            }
            T await_resume() {
                if (task.promise().failure) std::rethrow_exception(task.promise().failure);
                return std::move(*task.promise().value);
            }
        };
        return awaiter{handle_};
    }

private:
    explicit lazy_task(std::coroutine_handle<promise_type> handle) : handle_{handle} {}

    std::coroutine_handle<promise_type> handle_;
};

template <class T>
T sync_wait(lazy_task<T> work) {
    std::optional<T> value;
    const auto run = [](lazy_task<T> task, std::optional<T>& into) -> coroutine_task {
        into.emplace(co_await std::move(task));
    };
    const auto running = run(std::move(work), value);
    EXPECT_TRUE(running.wait());
    running.rethrow();
    return std::move(*value);
}

}  // namespace turnstile::tests
