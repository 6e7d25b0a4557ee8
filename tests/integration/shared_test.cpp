// SPDX-License-Identifier: Apache-2.0
// Tests readers, writers and permits on a real server: which waiters wake, and which holds survive a crash. While a
// hold is converted, the lock must never be free.
#include <array>
#include <vector>

#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

// A client and the proxy through which it connects. The proxy counts the events that the servers send to the client.
struct member {
    explicit member(const std::string& where)
        : proxy{std::make_unique<tcp_proxy>(where)}, servers{connect(proxy->address())} {}

    std::unique_ptr<tcp_proxy> proxy;
    std::unique_ptr<client> servers;
    guard hold;
};

class shared : public ::testing::Test {
protected:
    const std::string path = lock_path();
    std::unique_ptr<client> observer = connect(server().connect_string());

    [[nodiscard]] bool becomes_long(std::size_t size) const {
        const shared_mutex seen{*observer, path};
        const semaphore counted{*observer, path};
        return eventually(
            [&] { return seen.queue().value().size() + counted.queue().value().size() == size; });
    }
    static std::vector<std::uint64_t> events(const std::vector<member>& members) {
        std::vector<std::uint64_t> all;
        for (const auto& party : members) all.push_back(party.proxy->watch_events());
        return all;
    }
};

TEST_F(shared, conversions_keep_the_lock) {
    shared_mutex lock{*observer, path};
    const auto others = connect(server().connect_string());
    shared_mutex theirs{*others, path};
    auto hold = lock.acquire_upgrade({.timeout = limit()}).value();
    auto token = hold.fencing_token();
    testing::event written;
    theirs.async_acquire({}, [&](result<guard> mine) {
        EXPECT_TRUE(mine);
        written.set();
    });
    ASSERT_TRUE(becomes_long(2));
    for (int round = 0; round != 3; ++round) {
        lock.upgrade(hold, {.timeout = limit()}).value();
        EXPECT_LT(token, hold.fencing_token());
        lock.downgrade_to_upgradable(hold).value();
        token = hold.fencing_token();
    }
    lock.upgrade(hold, {.timeout = limit()}).value();
    lock.downgrade_to_shared(hold).value();
    EXPECT_TRUE(hold.valid());
    EXPECT_FALSE(written.is_set());
    hold.release(limit()).value();
    EXPECT_TRUE(written.wait());
    EXPECT_TRUE(becomes_long(0));
}

// Failure F10: the client does not get the answer to the downgrade's request. The hold must continue.
TEST_F(shared, F10_a_downgrade_whose_answer_is_lost_is_found_out) {
    testing::event lost_one;  // before the proxy, whose thread sets it
    member first{server().connect_string(0)};
    shared_mutex lock{*first.servers, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    const auto token = hold.fencing_token();
    first.proxy->filter(direction::to_client, [&](frame& seen) {
        if (lost_one.is_set() || !seen.is(frame_kind::reply, opcode::multi))
            return verdict::forward;
        lost_one.set();
        return verdict::cut_connection;
    });
    lock.downgrade_to_shared(hold).value();
    EXPECT_TRUE(hold.valid());
    EXPECT_LT(token, hold.fencing_token());
    EXPECT_TRUE(lost_one.is_set());
    EXPECT_TRUE(becomes_long(1));
    shared_mutex seen{*observer, path};
    EXPECT_EQ(seen.holders().value().front().kind, contender_kind::reader);
}

// Promise G3 (no waiter wakes in vain): the release of a permit wakes only the first waiter, which then wakes the next.
TEST_F(shared, G3_a_release_wakes_the_head_and_the_one_behind_it) {
    constexpr std::size_t k_waiters = 8;
    semaphore pool{*observer, path, 2};
    auto hold = pool.acquire({.timeout = limit()}).value();
    auto other = pool.acquire({.timeout = limit()}).value();
    std::vector<member> members;
    testing::event granted;
    // Two waiters may be granted at the same time, in either order.
    std::array<testing::event, k_waiters> in_turn;
    for (std::size_t i = 0; i != k_waiters; ++i) members.emplace_back(server().connect_string(0));
    for (std::size_t i = 0; i != k_waiters; ++i) {
        semaphore{*members[i].servers, path}.async_acquire({}, [&, i](result<guard> mine) {
            if (mine) members[i].hold = std::move(*mine);
            granted.set();
            in_turn.at(i).set();
        });
        ASSERT_TRUE(becomes_long(i + 3));
    }
    const auto before = events(members);
    hold.release(limit()).value();
    ASSERT_TRUE(granted.wait(1));
    ASSERT_TRUE(eventually([&] { return members[1].proxy->watch_events() > before[1]; }));
    const auto after = events(members);
    for (std::size_t i = 0; i != k_waiters; ++i)
        EXPECT_LE(after[i] - before[i], i < 2 ? 2U : 0U) << "waiter " << i;
    EXPECT_EQ(granted.count(), 1U);
    for (auto& mine : members) mine.hold.unlock();
    other.release(limit()).value();
    for (std::size_t i = 0; i != k_waiters; ++i) {
        ASSERT_TRUE(in_turn.at(i).wait());
        members[i].hold.unlock();
    }
    EXPECT_TRUE(becomes_long(0));
}

TEST_F(shared, a_writer_that_leaves_wakes_the_readers_behind_it_and_no_later_writer) {
    shared_mutex lock{*observer, path};
    auto writing = lock.acquire({.timeout = limit()}).value();
    std::vector<member> members;
    testing::event granted;
    for (std::size_t i = 0; i != 4; ++i) members.emplace_back(server().connect_string(0));
    for (std::size_t i = 0; i != 4; ++i) {
        const shared_mutex own{*members[i].servers, path};
        (i < 3 ? own.readers() : own.writers()).async_acquire({}, [&, i](result<guard> mine) {
            if (mine) members[i].hold = std::move(*mine);
            granted.set();
        });
        ASSERT_TRUE(becomes_long(i + 2));
    }
    const auto before = events(members);
    writing.release(limit()).value();
    ASSERT_TRUE(granted.wait(3));
    const auto after = events(members);
    EXPECT_EQ(after[3], before[3]) << "it watches the last reader";
    for (auto& party : members) party.hold.unlock();
    ASSERT_TRUE(granted.wait(4));
    members[3].hold.unlock();
    EXPECT_TRUE(becomes_long(0));
}

// Failures F11 and F20: a process with permits is killed. The permits must become free when its session ends, and no
// earlier.
TEST_F(shared, F20_leases_of_a_killed_process_come_back_and_not_too_early) {
    constexpr std::int32_t k_permits = 3;
    const testing::temporary_folder folder;
    semaphore pool{*observer, path, k_permits};
    testing::process holder{testing::process_options{
        {TURNSTILE_CONTENDER, server().connect_string(), path, "2000", "lease", "2"},
        {},
        folder.path() / "output",
        {}}};
    ASSERT_TRUE(holder.wait_for_output("grant ")) << holder.output();
    EXPECT_EQ(pool.available().value(), 1);
    auto hold = pool.acquire({.timeout = limit()}).value();
    EXPECT_EQ(pool.try_acquire().error(), errc::busy);
    holder.kill();
    const auto waited = pool.acquire(2, {.timeout = limit()});
    ASSERT_TRUE(waited) << waited.error().message();
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(pool.available().value(), 0);
}

}  // namespace
}  // namespace turnstile::tests
