// SPDX-License-Identifier: Apache-2.0
// Tests a system that can start no further thread: this program's pthread_create fails on demand.
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

#include "support.hpp"

namespace {

std::atomic<bool> no_thread_left{false};
std::atomic<int> still_given{0};  // threads that can still be created
std::atomic<int> threads_started{0};

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* how,
                                                                     void* (*run)(void*),
                                                                     void* argument) {
    ++threads_started;
    if (no_thread_left && still_given-- <= 0) return EAGAIN;
    using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "pthread_create"));
    return real(thread, how, run, argument);
}

namespace turnstile::tests {
namespace {

class no_thread : public shell_test {
protected:
    void TearDown() override {
        no_thread_left = false;
        still_given = 0;
    }
};

TEST_F(no_thread, a_client_that_is_there_goes_on) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    event told;
    const std::stop_callback on_lost{hold.lost(), [&] { told.set(); }};
    no_thread_left = true;
    lock.async_acquire({}, [&](const result<guard>&) { told.set(); });
    faults.expire(servers->session().id);
    EXPECT_TRUE(told.wait(2)) << "the loss, and the grant in the next session";
    servers->close();
}

// All holds share one background thread, which destroys users' callbacks and reports losses.
TEST_F(no_thread, holds_that_carry_callbacks_start_few) {
    constexpr int k_holds = 2000;
    const auto servers = connect();
    const auto before = threads_started.load();
    for (int i = 0; i != k_holds; ++i) {
        mutex lock{*servers, "/lock" + std::to_string(i % 10)};
        EXPECT_TRUE(lock.acquire({.timeout = limit(), .on_lost = [](const error&) {}}).has_value());
    }
    EXPECT_LE(threads_started - before, 64) << "as many as there may be at one time";
}

TEST_F(no_thread, a_new_client_is_refused_and_leaves_nothing) {
    no_thread_left = true;
    EXPECT_THROW(client{where}, std::system_error);
    no_thread_left = false;
    EXPECT_TRUE(connect());
}

// The runtime's first thread or one of its later threads cannot be created.
TEST_F(no_thread, a_new_runtime_is_refused_and_leaves_nothing) {
    constexpr int k_threads = 4;
    no_thread_left = true;
    for (int given = 0; given != k_threads; ++given) {
        still_given = given;
        EXPECT_THROW(static_cast<void>(runtime::start()), std::system_error) << given;
    }
    still_given = k_threads;
    EXPECT_TRUE(runtime::start());
}

// No further thread can start, and one thread of the runtime runs the callbacks of both clients. The callback of `hold`
// first waits for a grant, which other threads of the runtime deliver. Then this callback closes the client `others`.
// The callback of `others` must run before close() returns, although the callback of `hold` occupies their thread.
TEST_F(no_thread, clients_of_a_runtime_go_on_and_a_callback_closes_both) {
    const auto shared = runtime::start();
    const auto servers = connect({.runtime = shared});
    const auto others = connect({.runtime = shared});
    mutex lock{*servers, "/lock"};
    mutex held{*servers, "/held"};
    mutex other{*others, "/other"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    auto others_hold = other.acquire({.timeout = limit()}).value();
    event told;
    event lost;
    event done;
    no_thread_left = true;
    others_hold.on_lost([&](const error& why) {
        EXPECT_EQ(why, errc::closed);
        lost.set();
    });
    hold.on_lost([&](const error&) {
        EXPECT_TRUE(held.acquire({.timeout = limit()}).has_value()) << "in the next session";
        others->close();
        EXPECT_TRUE(lost.is_set());
        servers->close();
        done.set();
    });
    const std::stop_callback on_lost{hold.lost(), [&] { told.set(); }};
    faults.expire(servers->session().id);
    EXPECT_TRUE(told.wait());
    EXPECT_TRUE(done.wait());
}

}  // namespace
}  // namespace turnstile::tests
