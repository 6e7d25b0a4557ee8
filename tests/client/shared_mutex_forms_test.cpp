// SPDX-License-Identifier: Apache-2.0
// Tests the standard's and Boost's locks on a shared_mutex.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <boost/thread/lock_types.hpp>
#include <boost/thread/thread.hpp>

#include "needs_interruption.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class shared_mutex_forms : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    turnstile::shared_mutex lock{*servers, "/lock"};

    [[nodiscard]] std::size_t holders() const { return lock.holders().value().size(); }
    template <class F>
    static void elsewhere(F&& call) {
        std::thread{std::forward<F>(call)}.join();
    }
    template <class F>
    static errc refusal(F&& call) {
        try {
            call();
        } catch (const std::system_error& refused) {
            return static_cast<errc>(refused.code().value());
        }
        return errc{};
    }
    [[nodiscard]] contender_kind kind() const { return lock.holders().value().back().kind; }
};

TEST_F(shared_mutex_forms, the_standards_locks_work) {
    {
        const std::unique_lock writing{lock};
        EXPECT_EQ(kind(), contender_kind::writer);
        elsewhere([&] {
            EXPECT_FALSE(lock.try_lock());
            EXPECT_FALSE(lock.try_lock_shared());
            EXPECT_FALSE(lock.try_lock_for(1ms));
            EXPECT_FALSE(lock.try_lock_shared_for(1ms));
            EXPECT_FALSE(lock.try_lock_shared_until(std::chrono::steady_clock::now()));
        });
    }
    const std::shared_lock reading{lock};
    EXPECT_EQ(lock.current()->path(), "/lock");
    elsewhere([&] {
        const std::shared_lock also{lock, limit()};
        EXPECT_TRUE(also.owns_lock());
        EXPECT_EQ(holders(), 2U);
        const std::shared_lock until{lock, std::chrono::system_clock::now() + 1h};
        EXPECT_FALSE(until.owns_lock()) << "has one already";
    });
    elsewhere([&] {
        const std::unique_lock no{lock, 1ms};
        EXPECT_FALSE(no.owns_lock());
    });
    EXPECT_EQ(refusal([&] { lock.lock(); }), errc::would_deadlock);
    EXPECT_EQ(refusal([&] { lock.lock_shared(); }), errc::would_deadlock);
}

TEST_F(shared_mutex_forms, only_what_is_held_is_given_back) {
    EXPECT_EQ(refusal([&] { lock.unlock_shared(); }), errc::not_owner);
    lock.lock_shared();
    EXPECT_EQ(refusal([&] { lock.unlock(); }), errc::not_owner);
    EXPECT_EQ(refusal([&] { lock.unlock_upgrade(); }), errc::not_owner);
    EXPECT_EQ(refusal([&] { lock.unlock_upgrade_and_lock(); }), errc::not_owner);
    EXPECT_TRUE(lock.current()->valid());
    elsewhere([&] { EXPECT_EQ(refusal([&] { lock.unlock_shared(); }), errc::not_owner); });
    lock.unlock_shared();
    EXPECT_EQ(lock.current(), nullptr);
    EXPECT_TRUE(lock.try_lock_upgrade());
    EXPECT_EQ(kind(), contender_kind::upgradable);
    lock.unlock_upgrade();
    EXPECT_TRUE(lock.try_lock_upgrade_for(limit()));
    lock.unlock_upgrade();
    EXPECT_TRUE(lock.try_lock_upgrade_until(boottime_clock::now() + 1h));
    lock.unlock_upgrade();
}

TEST_F(shared_mutex_forms, boosts_locks_work) {
    {
        const boost::shared_lock<turnstile::shared_mutex> reading{lock};
        EXPECT_EQ(kind(), contender_kind::reader);
    }
    {
        const boost::unique_lock<turnstile::shared_mutex> writing{lock};
        EXPECT_EQ(kind(), contender_kind::writer);
    }
    boost::upgrade_lock<turnstile::shared_mutex> may_write{lock};
    EXPECT_EQ(kind(), contender_kind::upgradable);
    {
        const boost::upgrade_to_unique_lock<turnstile::shared_mutex> writing{may_write};
        EXPECT_EQ(kind(), contender_kind::upgrade);
        elsewhere([&] { EXPECT_FALSE(lock.try_lock_shared()); });
    }
    EXPECT_EQ(kind(), contender_kind::upgradable);
    elsewhere([&] {
        EXPECT_TRUE(lock.try_lock_shared_for(boost::chrono::minutes{1}));
        lock.unlock_shared();
    });
    const boost::shared_lock<turnstile::shared_mutex> reading{std::move(may_write)};
    EXPECT_EQ(kind(), contender_kind::reader);
    elsewhere([&] {
        boost::upgrade_lock<turnstile::shared_mutex> second{lock};
        EXPECT_TRUE(second.owns_lock());
    });
}

TEST_F(shared_mutex_forms, a_writers_hold_is_converted_down) {
    lock.lock();
    lock.unlock_and_lock_upgrade();
    EXPECT_EQ(kind(), contender_kind::upgradable);
    lock.unlock_upgrade_and_lock();
    lock.unlock_and_lock_shared();
    EXPECT_EQ(kind(), contender_kind::reader);
    lock.unlock_shared();
    EXPECT_EQ(refusal([&] { lock.unlock_and_lock_shared(); }), errc::not_owner);
}

TEST_F(shared_mutex_forms, an_upgrade_in_vain_is_false_and_keeps_the_hold) {
    lock.lock_upgrade();
    elsewhere([&] {
        lock.lock_shared();
        std::thread{[&] { EXPECT_EQ(lock.current(), nullptr); }}.join();
    });  // the hold remains, but no guard owns it
    EXPECT_FALSE(lock.try_unlock_upgrade_and_lock());
    EXPECT_FALSE(lock.try_unlock_upgrade_and_lock_for(1ms));
    EXPECT_FALSE(lock.try_unlock_upgrade_and_lock_for(0s));
    EXPECT_FALSE(lock.try_unlock_upgrade_and_lock_until(std::chrono::steady_clock::now() + 1ms));
    EXPECT_TRUE(lock.current()->valid());
    lock.unlock_upgrade();
}

TEST_F(shared_mutex_forms, an_interrupted_upgrade_throws_and_keeps_the_hold) {
    TURNSTILE_NEEDS_INTERRUPTION();
    auto reading = lock.acquire_shared().value();
    boost::thread upgrading{[&] {
        lock.lock_upgrade();
        EXPECT_THROW(lock.unlock_upgrade_and_lock(), boost::thread_interrupted);
        EXPECT_TRUE(lock.current()->valid());
        lock.unlock_upgrade();
    }};
    ASSERT_TRUE(eventually([&] { return lock.queue().value().size() == 3; }));
    upgrading.interrupt();
    upgrading.join();
    EXPECT_TRUE(eventually([&] { return lock.queue().value().size() == 1; }));
}

// The destructor of upgrade_to_unique_lock must not throw.
TEST_F(shared_mutex_forms, a_lost_hold_is_converted_down_in_silence) {
    boost::upgrade_lock<turnstile::shared_mutex> may_write{lock};
    {
        const boost::upgrade_to_unique_lock<turnstile::shared_mutex> writing{may_write};
        faults.expire(servers->session().id);
        ASSERT_TRUE(eventually([&] { return !lock.current()->valid(); }));
    }
    EXPECT_EQ(lock.current()->status().error(), errc::session_lost);
    EXPECT_EQ(refusal([&] { lock.unlock_upgrade_and_lock(); }), errc::session_lost);
}

}  // namespace
}  // namespace turnstile::tests
