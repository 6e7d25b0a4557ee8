// SPDX-License-Identifier: Apache-2.0
// Tests lock(), try_lock() and similar functions: the owner of the hold, and the results.
#include <thread>

#include <pthread.h>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class standard_forms : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};

    [[nodiscard]] errc lock_refusal() {
        try {
            lock.lock();
        } catch (const std::system_error& refused) {
            return static_cast<errc>(refused.code().value());
        }
        return errc{};
    }
};

// A thread ends while it holds the lock, and the system gives its id to a new thread. The new thread must not count as
// the hold's owner.
TEST_F(standard_forms, a_thread_does_not_inherit_the_hold_of_one_that_ended) {
    pthread_t first{};
    std::thread{[&] {
        first = ::pthread_self();
        lock.lock();
    }}.join();
    bool same_id = false;
    for (int i = 0; i != 100 && !same_id; ++i) {
        std::thread{[&] {
            same_id = ::pthread_equal(first, ::pthread_self()) != 0;
            EXPECT_EQ(lock.current(), nullptr);
            EXPECT_THROW(lock.unlock(), std::system_error);
            EXPECT_FALSE(lock.try_lock());
        }}.join();
    }
    EXPECT_TRUE(lock.is_locked().value());
}

TEST_F(standard_forms, no_time_at_all_is_a_try) {
    EXPECT_TRUE(lock.try_lock_for(0s));
    lock.unlock();
    EXPECT_TRUE(lock.try_lock_for(-1s));
    lock.unlock();
    EXPECT_TRUE(lock.try_lock_until(boottime_clock::now() - 1s));
    lock.unlock();
    EXPECT_TRUE(lock.try_lock_until(std::chrono::steady_clock::now() - 1s));
    std::thread{[&] {
        EXPECT_FALSE(lock.try_lock_for(0s));
        EXPECT_FALSE(lock.try_lock());
    }}.join();
    EXPECT_EQ(lock.acquire({.timeout = 0s}).error(), errc::busy);
}

TEST_F(standard_forms, without_a_server_a_try_is_false) {
    const auto short_session = connect({.session_timeout = 50ms});
    mutex theirs{*short_session, "/lock"};
    faults.detach(short_session->session().id);
    ASSERT_TRUE(eventually([&] { return short_session->state() != session_state::connected; }));
    EXPECT_FALSE(theirs.try_lock());
    EXPECT_FALSE(theirs.try_lock_for(1ms));
    EXPECT_FALSE(theirs.try_lock_for(0s));
}

TEST_F(standard_forms, a_lost_hold_is_the_threads_own_until_it_unlocks) {
    lock.lock();
    faults.expire(servers->session().id);
    ASSERT_TRUE(eventually([&] { return !lock.current()->valid(); }));
    EXPECT_EQ(lock_refusal(), errc::would_deadlock);
    EXPECT_EQ(lock.current()->status().error(), errc::session_lost);
    lock.unlock();
    EXPECT_EQ(lock_refusal(), errc{});
    lock.unlock();
}

}  // namespace
}  // namespace turnstile::tests
