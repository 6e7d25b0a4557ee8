// SPDX-License-Identifier: Apache-2.0
// plain_lock: implements the commands of a peer whose acquire() blocks the calling thread.
//
//     bench::serve(version, bench::plain_commands([] { return my_lock{...}; }));
//
// A lock object has acquire(path) and release(path), and only one thread at a time uses it. The command `drain` uses a
// thread and a lock object, with a connection, for each waiter.
//
//     hold PATH         takes the lock and keeps it
//     await PATH        takes the lock, prints the time of the grant (granted_at=INSTANT), and releases the lock
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <thread>

#include "protocol.hpp"

namespace bench {

// Waiters, each with a thread and a lock object, which has a connection. The pool makes a lock object once, and uses it
// again in later queues.
template <class Make>
class waiter_pool {
public:
    explicit waiter_pool(Make make) : make_{std::move(make)} {
        pthread_attr_t attributes;
        ::pthread_attr_init(&attributes);
        ::pthread_attr_setstacksize(&attributes, k_stack);
        ::pthread_setattr_default_np(&attributes);
        ::pthread_attr_destroy(&attributes);
    }

    template <class Lock>
    std::string drain(Lock& first, const std::string& path, std::int64_t count) {
        while (static_cast<std::int64_t>(locks_.size()) < count)
            locks_.push_back(std::make_unique<Lock>(make_()));
        std::atomic<std::int64_t> asking{0};
        const auto start = now_us();
        first.acquire(path);
        std::vector<std::future<void>> waiting;
        for (std::int64_t i = 0; i < count; ++i)
            waiting.push_back(std::async(std::launch::async, [&, i] {
                auto& lock = *locks_[static_cast<std::size_t>(i)];
                ++asking;
                lock.acquire(path);
                lock.release(path);
            }));
        while (asking < count) std::this_thread::sleep_for(k_look);
        const auto asked = now_us();
        // No server reports when the last waiter has arrived, so the command waits for a fixed time.
        std::this_thread::sleep_for(k_settle);
        const auto full = now_us();
        first.release(path);
        for (auto& each : waiting) each.get();
        return "us=" + std::to_string(now_us() - full) +
               " enqueue_us=" + std::to_string(asked - start);
    }

private:
    static constexpr std::size_t k_stack = 256 * 1024;
    static constexpr std::chrono::milliseconds k_look{1};
    static constexpr std::chrono::milliseconds k_settle{300};

    Make make_;
    std::vector<std::unique_ptr<std::invoke_result_t<Make>>> locks_;
};

template <class Make>
commands plain_commands(Make make) {
    using lock_type = std::invoke_result_t<Make>;
    const auto lock = std::make_shared<lock_type>(make());
    const auto pool = std::make_shared<waiter_pool<Make>>(make);
    return {{"cycle",
             [lock](const arguments& given) {
                 return timed(number(given.at(1)), [&] {
                     lock->acquire(given.at(0));
                     lock->release(given.at(0));
                 });
             }},
            {"contend",
             [lock](const arguments& given) {
                 return count_until(number(given.at(1)), number(given.at(2)),
                                    [&](grant_count& count) {
                                        lock->acquire(given.at(0));
                                        count.granted();
                                        lock->release(given.at(0));
                                    })
                     .text();
             }},
            {"drain",
             [lock, pool](const arguments& given) {
                 return pool->drain(*lock, given.at(0), number(given.at(1)));
             }},
            {"hold",
             [lock](const arguments& given) {
                 lock->acquire(given.at(0));
                 return std::string{"held=1"};
             }},
            {"await", [lock](const arguments& given) {
                 lock->acquire(given.at(0));
                 const auto granted = now_us();
                 lock->release(given.at(0));
                 return "granted_at=" + std::to_string(granted);
             }}};
}

}  // namespace bench
