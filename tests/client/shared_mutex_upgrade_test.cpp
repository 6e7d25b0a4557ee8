// SPDX-License-Identifier: Apache-2.0
// Tests readers that become writers, over `local:`.
#include <utility>

#include "shared_mutex_fixture.hpp"

namespace turnstile::tests {
namespace {

// ---- upgrade --------------------------------------------------------------------------------

TEST_F(shared_mutex_test, an_upgrade_waits_for_readers_and_passes_waiting_writers) {
    auto held = lock.acquire_upgrade().value();
    auto reading = theirs.acquire_shared().value();
    auto writing = ask(theirs.writers());
    auto behind = ask(theirs.readers());  // waits for the writer
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

// The reader queues before the upgrade, and watches only the writer ahead of it. The upgrade then overtakes the writer
// and the reader. When the writer gives up, the reader must wait for the upgraded hold.
TEST_F(shared_mutex_test, an_upgrade_is_alone_also_when_the_writer_that_it_passed_gives_up) {
    auto held = lock.acquire_upgrade().value();
    auto writing = ask(theirs.writers());
    auto behind = ask(theirs.readers());
    ASSERT_TRUE(lock.upgrade(held));
    EXPECT_EQ(holders(), (kinds{upgradable, upgrade}));
    EXPECT_EQ(lock.position(held).value(), 1U) << "in the place of its upgradable contender";
    writing.stop.request_stop();
    ASSERT_TRUE(becomes_size(3));
    settle();
    EXPECT_FALSE(behind.granted());
    lock.downgrade_to_upgradable(held).value();
    EXPECT_TRUE(behind.becomes_granted());
    EXPECT_TRUE(held.valid());
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
    lock.upgrade(held).value();  // no effect, because the hold is a writer
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
    EXPECT_TRUE(theirs.acquire().has_value());
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

}  // namespace
}  // namespace turnstile::tests
