// Readers, writers and readers that become writers, over `local:`: who holds together with whom, in which
// order, and what a conversion leaves to others.
#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "client/client_impl.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class shared_mutex_test : public shell_test {
protected:
    // Which learns soon of what others delete.
    static client_options watchful() {
        client_options made;
        made.lease.confirm_every = 20ms;
        return made;
    }
    std::unique_ptr<client> servers = connect(watchful());
    std::unique_ptr<client> others = connect();
    shared_mutex lock{*servers, "/lock"};
    shared_mutex theirs{*others, "/lock"};

    // Somebody who asked, and what came of it.
    struct asker {
        std::shared_ptr<event> answered = std::make_shared<event>();
        std::shared_ptr<guard> hold = std::make_shared<guard>();
        std::stop_source stop;

        [[nodiscard]] bool granted() const { return answered->is_set() && *hold; }
        [[nodiscard]] bool becomes_granted() const { return answered->wait() && *hold; }
    };
    // Asks, and returns when its contender stands in the queue.
    asker ask(const shared_mutex_view& way) {
        asker one;
        const auto size = queue_size() + 1;
        way.async_acquire({.stop = one.stop.get_token()},
                          [hold = one.hold, answered = one.answered](result<guard> mine) {
                              if (mine) *hold = std::move(*mine);
                              answered->set();
                          });
        EXPECT_TRUE(eventually([&] { return queue_size() == size; }));
        return one;
    }
    [[nodiscard]] std::size_t queue_size() const { return lock.queue().value().size(); }
    [[nodiscard]] bool becomes_size(std::size_t size) const {
        return eventually([&] { return queue_size() == size; });
    }
    [[nodiscard]] std::vector<contender_kind> holders() const {
        std::vector<contender_kind> kinds;
        const auto all = lock.holders().value();
        for (const auto& one : all) kinds.push_back(one.kind);
        return kinds;
    }
    // Everybody who waits has seen the queue as it is: their turn would have come.
    void settle() {
        ASSERT_TRUE(others->impl()->ask({core::exists_op{"/"}}, {}));
        ASSERT_TRUE(servers->impl()->ask({core::exists_op{"/"}}, {}));
    }
    void remove(const std::string& znode) {
        ASSERT_EQ(others->impl()->ask({core::remove_op{znode}}, {}).value().front().error,
                  core::server_error::ok);
    }
};

using kinds = std::vector<contender_kind>;
constexpr auto reader = contender_kind::reader;
constexpr auto writer = contender_kind::writer;
constexpr auto upgradable = contender_kind::upgradable;
constexpr auto upgrade = contender_kind::upgrade;

// ---- who holds together ---------------------------------------------------------------------

TEST_F(shared_mutex_test, readers_share_and_a_writer_is_alone) {
    auto one = lock.acquire_shared().value();
    auto other = theirs.acquire_shared().value();
    EXPECT_EQ(holders(), (kinds{reader, reader}));
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    one.release().value();
    other.release().value();

    auto alone = lock.acquire().value();
    EXPECT_EQ(holders(), kinds{writer});
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    EXPECT_EQ(theirs.try_acquire_shared().error(), errc::busy);
    EXPECT_EQ(theirs.try_acquire_upgrade().error(), errc::busy);
    EXPECT_GT(alone.fencing_token(), one.fencing_token());
}

TEST_F(shared_mutex_test, one_upgradable_reader_is_there_with_readers) {
    auto one = lock.acquire_upgrade().value();
    auto other = theirs.acquire_shared().value();
    EXPECT_EQ(holders(), (kinds{upgradable, reader}));
    EXPECT_EQ(theirs.try_acquire_upgrade().error(), errc::busy);
    auto second = ask(theirs.upgraders());
    settle();
    EXPECT_FALSE(second.granted());
    one.release().value();
    EXPECT_TRUE(second.becomes_granted());
}

// Fairness: readers that come later do not hold up a writer that waits.
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

// F19: kazoo's readers watched writers that came after them.
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

// F10: no other writer comes in between, readers do.
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
    lock.downgrade_to_upgradable(held).value();  // is one already
    EXPECT_EQ(theirs.try_acquire_upgrade().error(), errc::busy);
    auto other = theirs.acquire_shared().value();
    const auto token = held.fencing_token();
    lock.downgrade_to_shared(held).value();
    EXPECT_GT(held.fencing_token(), token);
    EXPECT_TRUE(theirs.try_acquire_upgrade());
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

// ---- upgrade --------------------------------------------------------------------------------

TEST_F(shared_mutex_test, an_upgrade_waits_for_readers_and_passes_waiting_writers) {
    auto held = lock.acquire_upgrade().value();
    auto reading = theirs.acquire_shared().value();
    auto writing = ask(theirs.writers());
    auto behind = ask(theirs.readers());  // behind the writer: it does not hold
    event upgraded;
    std::optional<guard> mine;
    lock.async_upgrade(std::move(held), {}, [&](guard hold, const result<void>& outcome) {
        EXPECT_TRUE(outcome) << outcome.error().message();
        mine = std::move(hold);
        upgraded.set();
    });
    ASSERT_TRUE(becomes_size(5));
    settle();
    EXPECT_FALSE(upgraded.is_set());
    reading.release().value();
    ASSERT_TRUE(upgraded.wait());
    EXPECT_TRUE(mine->valid());
    EXPECT_EQ(holders(), (kinds{upgradable, upgrade}));
    settle();
    EXPECT_FALSE(writing.granted() || behind.granted());
    mine->release().value();
    ASSERT_TRUE(writing.becomes_granted());
    EXPECT_GT(writing.hold->fencing_token(), mine->fencing_token());
    writing.hold->release().value();
    EXPECT_TRUE(behind.becomes_granted());
}

TEST_F(shared_mutex_test, readers_that_come_during_an_upgrade_wait) {
    auto held = lock.acquire_upgrade().value();
    auto reading = theirs.acquire_shared().value();
    event upgraded;
    guard mine;
    lock.async_upgrade(std::move(held), {}, [&](guard hold, const result<void>& outcome) {
        EXPECT_TRUE(outcome);
        mine = std::move(hold);
        upgraded.set();
    });
    ASSERT_TRUE(becomes_size(3));
    auto late = ask(theirs.readers());
    reading.release().value();
    ASSERT_TRUE(upgraded.wait());
    settle();
    EXPECT_FALSE(late.granted());
    mine.unlock();
    EXPECT_TRUE(late.becomes_granted());
}

TEST_F(shared_mutex_test, an_upgrade_in_vain_leaves_the_hold_as_it_was) {
    auto held = lock.acquire_upgrade().value();
    const auto token = held.fencing_token();
    const auto znode = held.znode();
    auto reading = theirs.acquire_shared().value();
    const auto as_it_was = [&] {
        return held.valid() && held.fencing_token() == token && held.znode() == znode &&
               becomes_size(2);
    };
    EXPECT_EQ(lock.try_upgrade(held).error(), errc::busy);
    EXPECT_TRUE(as_it_was());
    EXPECT_EQ(lock.upgrade(held, {.timeout = 1ms}).error(), errc::timeout);
    EXPECT_TRUE(as_it_was());
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(lock.upgrade(held, {.stop = stopped.get_token()}).error(), errc::cancelled);
    EXPECT_TRUE(as_it_was());
    EXPECT_EQ(lock.upgrade(held, {.label = std::string(2000, 'x')}).error(), errc::bad_option);
    EXPECT_TRUE(as_it_was());
    reading.release().value();
    lock.try_upgrade(held).value();
    EXPECT_EQ(holders(), (kinds{upgradable, upgrade}));
    EXPECT_EQ(lock.position(held).value(), 1U);
}

TEST_F(shared_mutex_test, an_upgraded_hold_goes_back_and_up_again_with_growing_tokens) {
    auto held = lock.acquire_upgrade().value();
    auto token = held.fencing_token();
    const auto grew = [&] { return std::exchange(token, held.fencing_token()) < token; };
    lock.upgrade(held).value();
    EXPECT_TRUE(grew());
    lock.upgrade(held).value();  // is a writer's already
    lock.downgrade_to_upgradable(held).value();
    EXPECT_TRUE(grew());
    EXPECT_TRUE(becomes_size(1));
    EXPECT_EQ(holders(), kinds{upgradable});
    theirs.acquire_shared().value().release().value();
    lock.upgrade(held).value();
    EXPECT_TRUE(grew());
    lock.downgrade_to_shared(held).value();
    EXPECT_TRUE(grew());
    EXPECT_TRUE(becomes_size(1));
    EXPECT_EQ(holders(), kinds{reader});
    held.release().value();
    EXPECT_GT(theirs.acquire().value().fencing_token(), token);
}

TEST_F(shared_mutex_test, what_cannot_be_upgraded_is_refused_with_the_reason) {
    guard none;
    EXPECT_EQ(lock.upgrade(none).error(), errc::not_held);
    auto reading = lock.acquire_shared().value();
    EXPECT_EQ(lock.upgrade(reading).error(), errc::bad_option);
    EXPECT_TRUE(reading.valid());
    reading.release().value();
    auto elsewhere = shared_mutex{*servers, "/elsewhere"}.acquire_upgrade().value();
    EXPECT_EQ(lock.upgrade(elsewhere).error(), errc::bad_option);
    auto exclusive = mutex{*servers, "/lock"}.acquire().value();
    EXPECT_EQ(lock.upgrade(exclusive).error(), errc::bad_option);
    EXPECT_EQ(lock.downgrade_to_shared(exclusive).error(), errc::bad_option);
    EXPECT_TRUE(elsewhere.valid() && exclusive.valid());
    auto held = lock.acquire_upgrade().value();
    faults.expire(servers->session().id);
    ASSERT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_EQ(lock.upgrade(held).error(), errc::session_lost);
    EXPECT_THROW(lock.async_upgrade(std::move(held), {}, nullptr), std::system_error);
}

// ---- loss of an upgraded hold -----------------------------------------------------------------

class upgraded_loss : public shared_mutex_test,
                      public ::testing::WithParamInterface<const char*> {};

TEST_P(upgraded_loss, of_one_is_loss_of_both) {
    event base_told;
    event upper_told;
    event guard_told;
    auto held = lock.acquire_upgrade({.on_lost = [&](const error&) { base_told.set(); }}).value();
    const auto beneath = held.znode();
    const auto lost_before = held.lost();
    lock.upgrade(held, {.on_lost = [&](const error&) { upper_told.set(); }}).value();
    held.on_lost([&](const error&) { guard_told.set(); });
    const std::string which = GetParam();
    if (which == "session") {
        faults.expire(servers->session().id);
    } else {
        remove(which == "upgrade" ? held.znode() : beneath);
    }
    EXPECT_TRUE(base_told.wait());
    EXPECT_TRUE(upper_told.wait());
    EXPECT_TRUE(guard_told.wait());
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(held.status().error(), which == "session" ? errc::session_lost : errc::removed);
    EXPECT_TRUE(eventually([&] { return lost_before.stop_requested(); }));
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_TRUE(becomes_size(0)) << "what is lost does not block others";
    EXPECT_TRUE(theirs.acquire());
    EXPECT_EQ(lock.downgrade_to_shared(held).error(), held.status().error());
    held.unlock();
    EXPECT_EQ(base_told.count() + upper_told.count() + guard_told.count(), 3U);
}

INSTANTIATE_TEST_SUITE_P(, upgraded_loss, ::testing::Values("session", "upgrade", "base"),
                         [](const auto& which) { return std::string{which.param}; });

TEST_F(shared_mutex_test, an_upgrade_that_waits_ends_with_the_hold_that_it_is_for) {
    auto held = lock.acquire_upgrade().value();
    auto reading = theirs.acquire_shared().value();
    const auto beneath = held.znode();
    event ended;
    lock.async_upgrade(std::move(held), {}, [&](guard hold, const result<void>& outcome) {
        EXPECT_EQ(outcome.error(), errc::removed);
        EXPECT_FALSE(hold.valid());
        ended.set();
    });
    ASSERT_TRUE(becomes_size(3));
    remove(beneath);
    EXPECT_TRUE(ended.wait());
    EXPECT_TRUE(becomes_size(1));
}

// ---- queries and views ----------------------------------------------------------------------

TEST_F(shared_mutex_test, queries_say_who_is_there_as_what) {
    EXPECT_FALSE(lock.is_locked().value());
    auto one = lock.acquire_shared({.label = "one"}).value();
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
    EXPECT_EQ(lock.position(one).value(), 0U);
    EXPECT_TRUE(lock.is_locked().value());
    three.stop.request_stop();
    EXPECT_TRUE(three.answered->wait());
    EXPECT_TRUE(becomes_size(2));
}

TEST_F(shared_mutex_test, views_take_the_lock_in_their_way) {
    const auto readers = lock.readers();
    EXPECT_EQ(readers.path(), "/lock");
    EXPECT_EQ(readers.kind(), reader);
    auto one = readers.acquire().value();
    auto two = theirs.upgraders().try_acquire().value();
    EXPECT_EQ(theirs.writers().try_acquire().error(), errc::busy);
    EXPECT_EQ(holders(), (kinds{reader, upgradable}));
    EXPECT_THROW(readers.async_acquire({}, nullptr), std::system_error);
}

TEST_F(shared_mutex_test, bad_paths_are_refused) {
    EXPECT_THROW(shared_mutex(*servers, "lock"), std::system_error);
    EXPECT_THROW(shared_mutex(*servers, "/"), std::system_error);
}

// ---- all at once ----------------------------------------------------------------------------

// Many threads that take the lock in each way and convert it: a writer is alone, and an upgradable hold is the
// only one, by counters that the lock protects.
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
