// SPDX-License-Identifier: Apache-2.0
// coroutine: three tasks take turns at a lock, and one thread runs them all.
//
//     coroutine [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <iostream>
#include <mutex>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// Represents your program's event loop. Its `post` is the executor.
class event_loop {
public:
    void post(std::function<void()> work) {
        const std::lock_guard lock{mutex_};
        waiting_.push_back(std::move(work));
        changed_.notify_one();
    }
    // Runs the posted tasks on this thread until `count` tasks have finished.
    void run(int count) {
        while (finished_ != count) next()();
    }
    void task_finished() { ++finished_; }  // called on the loop's thread

private:
    std::function<void()> next() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return !waiting_.empty(); });
        auto work = std::move(waiting_.front());
        waiting_.pop_front();
        return work;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    int finished_ = 0;
};

// Represents your program's coroutine type. The coroutine begins at once, and no code waits for its end.
struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

task ship(int number, turnstile::mutex& orders, event_loop& loop) {
    const turnstile::executor on_the_loop = [&loop](auto work) { loop.post(std::move(work)); };
    const auto started_on = std::this_thread::get_id();
    {
        const auto hold = co_await turnstile::async_acquire(orders, 30s, on_the_loop);
        std::cout << "task " << number << (hold ? " ships" : " gives up")
                  << ", on the loop: " << std::boolalpha
                  << (std::this_thread::get_id() == started_on) << '\n';
    }  // the guard releases the lock here, without blocking
    loop.task_finished();
}

}  // namespace

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::mutex orders{servers, "/locks/orders"};
    // This first use creates the lock's folder. After that, contenders queue in the order of the calls.
    orders.acquire({.timeout = 30s}).value().release().value();

    event_loop loop;
    for (const int number : {1, 2, 3}) ship(number, orders, loop);
    std::cout << "all three wait, and no thread does\n";
    loop.run(3);
}
