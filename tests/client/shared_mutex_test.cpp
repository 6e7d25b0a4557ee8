// SPDX-License-Identifier: Apache-2.0
// Tests readers and writers over `local:`: which of them may hold the lock together, the order of grants, and which
// waiters a downgrade admits.
#include <random>
#include <thread>

#include "shared_mutex_fixture.hpp"

namespace turnstile::tests {
namespace {

// ---- several holds at a time ----------------------------------------------------------------

TEST_F(shared_mutex_test, readers_share_and_a_writer_is_alone) {
    auto hold = lock.acquire_shared().value();
    auto other = theirs.acquire_shared().value();
    EXPECT_EQ(holders(), (kinds{reader, reader}));
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    hold.release().value();
    other.release().value();

    auto alone = lock.acquire().value();
    EXPECT_EQ(holders(), kinds{writer});
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    EXPECT_EQ(theirs.try_acquire_shared().error(), errc::busy);
    EXPECT_EQ(theirs.try_acquire_upgrade().error(), errc::busy);
    EXPECT_GT(alone.fencing_token(), hold.fencing_token());
}

TEST_F(shared_mutex_test, one_upgradable_reader_is_there_with_readers) {
    auto hold = lock.acquire_upgrade().value();
    auto other = theirs.acquire_shared().value();
    EXPECT_EQ(holders(), (kinds{upgradable, reader}));
    EXPECT_EQ(theirs.try_acquire_upgrade().error(), errc::busy);
    auto second = ask(theirs.upgraders());
    settle();
    EXPECT_FALSE(second.granted());
    hold.release().value();
    EXPECT_TRUE(second.becomes_granted());
}

// Later readers must not delay a waiting writer.
TEST_F(shared_mutex_test, a_waiting_writer_is_not_starved) {
    auto first = lock.acquire_shared().value();
    auto waiting = ask(theirs.writers());
    EXPECT_EQ(lock.try_acquire_shared().error(), errc::busy);
    auto late = ask(lock.readers());
    auto later = ask(theirs.readers());
    settle();
    EXPECT_FALSE(late.granted());
    first.release().value();
    ASSERT_TRUE(waiting.becomes_granted());
    EXPECT_EQ(holders(), kinds{writer});
    EXPECT_FALSE(late.granted() || later.granted());
    waiting.hold->release().value();
    EXPECT_TRUE(late.becomes_granted());
    EXPECT_TRUE(later.becomes_granted());
    EXPECT_EQ(holders(), (kinds{reader, reader}));
    EXPECT_LT(waiting.hold->fencing_token(), late.hold->fencing_token());
}

// Failure F19: kazoo's readers wait for writers behind them.
TEST_F(shared_mutex_test, F19_readers_wait_for_writers_ahead_of_them_only) {
    auto held = lock.acquire().value();
    auto reading = ask(theirs.readers());
    auto writing = ask(lock.writers());
    held.release().value();
    ASSERT_TRUE(reading.becomes_granted());
    settle();
    EXPECT_FALSE(writing.granted());
    reading.hold->release().value();
    EXPECT_TRUE(writing.becomes_granted());
}

// ---- downgrade ------------------------------------------------------------------------------

// Failure F10: during a downgrade other readers may get the lock, but no other writer may.
TEST_F(shared_mutex_test, F10_a_downgrade_keeps_the_place) {
    auto held = lock.acquire().value();
    auto reading = ask(theirs.readers());
    auto writing = ask(theirs.writers());
    const auto token = held.fencing_token();
    const auto znode = held.znode();
    lock.downgrade_to_shared(held).value();
    EXPECT_TRUE(held.valid());
    EXPECT_NE(held.znode(), znode);
    EXPECT_EQ(held.fencing_token(), (fencing_token{token.zxid(), token.counter() + 1}));
    ASSERT_TRUE(reading.becomes_granted());
    EXPECT_EQ(holders(), (kinds{reader, reader}));
    reading.hold->release().value();
    settle();
    EXPECT_FALSE(writing.granted());
    held.release().value();
    ASSERT_TRUE(writing.becomes_granted());
    EXPECT_GT(writing.hold->fencing_token(), (fencing_token{token.zxid(), token.counter() + 1}));
}

TEST_F(shared_mutex_test, a_writer_becomes_upgradable_then_a_reader) {
    auto held = lock.acquire().value();
    lock.downgrade_to_upgradable(held).value();
    EXPECT_EQ(holders(), kinds{upgradable});
    // This call has no effect, because the hold is upgradable already.
    lock.downgrade_to_upgradable(held).value();
    EXPECT_EQ(theirs.try_acquire_upgrade().error(), errc::busy);
    auto other = theirs.acquire_shared().value();
    const auto token = held.fencing_token();
    lock.downgrade_to_shared(held).value();
    EXPECT_GT(held.fencing_token(), token);
    EXPECT_TRUE(theirs.try_acquire_upgrade().has_value());
    EXPECT_EQ(lock.downgrade_to_upgradable(held).error(), errc::bad_option);
}

TEST_F(shared_mutex_test, a_downgraded_hold_is_lost_with_its_session) {
    event told;
    auto held = lock.acquire({.on_lost = [&](const error&) { told.set(); }}).value();
    const auto lost = held.lost();
    lock.downgrade_to_shared(held).value();
    faults.expire(servers->session().id);
    EXPECT_TRUE(told.wait());
    EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(lock.downgrade_to_shared(held).error(), errc::session_lost);
}

TEST_F(shared_mutex_test, a_downgraded_hold_is_lost_with_its_znode) {
    auto held = lock.acquire().value();
    lock.downgrade_to_shared(held).value();
    remove(held.znode());
    EXPECT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_EQ(held.status().error(), errc::removed);
}

// ---- queries, and the views readers() and writers() --------------------------------------------

TEST_F(shared_mutex_test, queries_say_who_is_there_as_what) {
    EXPECT_FALSE(lock.is_locked().value());
    auto hold = lock.acquire_shared({.label = "one"}).value();
    auto two = ask(theirs.writers());
    auto three = ask(lock.readers());
    const auto all = theirs.queue().value();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].kind, reader);
    EXPECT_EQ(all[0].metadata.label, "one");
    EXPECT_EQ(all[1].kind, writer);
    EXPECT_EQ(all[2].kind, reader);
    EXPECT_STREQ(to_string(all[1].kind), "writer");
    const auto held = lock.holders().value();
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].name, all[0].name);
    EXPECT_EQ(lock.position(hold).value(), 0U);
    EXPECT_TRUE(lock.is_locked().value());
    three.stop.request_stop();
    EXPECT_TRUE(three.answered->wait());
    EXPECT_TRUE(becomes_size(2));
}

TEST_F(shared_mutex_test, views_take_the_lock_in_their_way) {
    const auto readers = lock.readers();
    EXPECT_EQ(readers.path(), "/lock");
    EXPECT_EQ(readers.kind(), reader);
    auto hold = readers.acquire().value();
    auto two = theirs.upgraders().try_acquire().value();
    EXPECT_EQ(theirs.writers().try_acquire().error(), errc::busy);
    EXPECT_EQ(holders(), (kinds{reader, upgradable}));
    EXPECT_THROW(readers.async_acquire({}, nullptr), std::system_error);
}

TEST_F(shared_mutex_test, bad_paths_are_refused) {
    EXPECT_THROW(shared_mutex(*servers, "lock"), std::system_error);
    EXPECT_THROW(shared_mutex(*servers, "/"), std::system_error);
}

// ---- many threads at once -------------------------------------------------------------------

// Many threads acquire the lock in every mode (shared, upgradable, exclusive), and convert their holds. Counters show
// whether a writer is alone, and whether there is only one upgradable hold.
class crowd {
public:
    crowd(const std::string& where, unsigned seed) : servers_{where}, dice_{seed} {}

    void work(int steps) {
        for (int i = 0; i != steps; ++i) {
            switch (dice_() % 3) {
                case 0: read(); break;
                case 1: write(); break;
                default: convert(); break;
            }
        }
    }
    static inline std::atomic<int> readers{0};
    static inline std::atomic<int> writers{0};
    static inline std::atomic<int> upgradables{0};

private:
    static void inside(std::atomic<int>& mine, int most_readers, int most_writers) {
        ++mine;
        EXPECT_LE(readers.load(), most_readers);
        EXPECT_LE(writers.load(), most_writers);
        EXPECT_LE(upgradables.load(), 1);
        --mine;
    }
    void read() {
        const auto hold = lock_.acquire_shared({.timeout = limit()}).value();
        inside(readers, 1000, 0);
    }
    void write() {
        auto hold = lock_.acquire({.timeout = limit()}).value();
        inside(writers, 0, 1);
        if (dice_() % 2 == 0) return;
        lock_.downgrade_to_shared(hold).value();
        inside(readers, 1000, 0);
    }
    void convert() {
        auto hold = lock_.acquire_upgrade({.timeout = limit()}).value();
        inside(upgradables, 1000, 0);
        const auto up =
            dice_() % 2 == 0 ? lock_.upgrade(hold, {.timeout = limit()}) : lock_.try_upgrade(hold);
        if (!up) {
            EXPECT_EQ(up.error(), errc::busy);
            return;
        }
        inside(writers, 0, 1);
        if (dice_() % 2 == 0) return;
        lock_.downgrade_to_upgradable(hold).value();
        inside(upgradables, 1000, 0);
    }

    client servers_;
    shared_mutex lock_{servers_, "/crowd"};
    std::mt19937 dice_;
};

TEST_F(shared_mutex_test, nobody_is_there_with_a_writer_whoever_comes) {
    constexpr unsigned k_threads = 6;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i != k_threads; ++i)
        threads.emplace_back([this, i] { crowd{where, i}.work(60); });
    threads.clear();
    const shared_mutex observed{*servers, "/crowd"};
    EXPECT_TRUE(eventually([&] { return !observed.is_locked().value(); }));
}

}  // namespace
}  // namespace turnstile::tests
