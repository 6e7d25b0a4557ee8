// SPDX-License-Identifier: Apache-2.0
// Tests readers and writers of Curator's InterProcessReadWriteLock and of shared_mutex on one path.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "interop/support.hpp"
#include "kit/zk_client.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_threads_of_a_kind = 2;  // the same number as in CuratorReadWrite
// Number of grants that each of Curator's threads takes. This library's threads run until Curator's threads have ended.
constexpr int k_grants_each = 20;

class curator_read_write : public ::testing::Test {
protected:
    const std::string path = lock_path();
    const testing::temporary_folder folder;
    const signal go_on{folder.path() / "signal"};
    const testing::java_program program{"CuratorReadWrite", TURNSTILE_JAVA_CLASSES};
    const std::unique_ptr<client> servers = connect(server().connect_string());
    shared_mutex lock{*servers, path};

    // Starts a process with Curator that holds the lock until the test calls signal::give().
    [[nodiscard]] testing::process curators(const std::string& role) const {
        return program.start({role, server().connect_string(), path, go_on.pipe()},
                             folder.path() / (role + ".log"));
    }
    [[nodiscard]] bool becomes_long(std::size_t size) const {
        return eventually([&] { return lock.queue().value().size() == size; });
    }
    // Returns the path of the znode that Curator's contender of this kind created.
    [[nodiscard]] std::string curators_znode(contender_kind kind) const {
        const auto all = lock.queue().value();
        for (const auto& contender : all)
            if (contender.kind == kind && contender.session_id != servers->session().id)
                return path + '/' + contender.name;
        return {};
    }
    // A hold that is requested now and granted later.
    class pending_hold {
    public:
        explicit pending_hold(const shared_mutex_view& side) {
            side.async_acquire({}, [state = state_](result<guard> outcome) {
                if (outcome) state->hold = std::move(*outcome);
                state->granted.set();
            });
        }
        [[nodiscard]] bool waits_no_more() const { return state_->granted.wait(); }
        [[nodiscard]] bool granted() const { return state_->granted.is_set(); }
        [[nodiscard]] guard& hold() const { return state_->hold; }  // valid after the grant

    private:
        struct state {
            testing::event granted;
            guard hold;
        };
        const std::shared_ptr<state> state_ = std::make_shared<state>();
    };
};

// Checks under the lock that this library's tokens grow.
class token_order {
public:
    void write(fencing_token token) {
        const std::lock_guard hold{mutex_};
        in_order_ = in_order_ && token > written_ && token > read_;
        written_ = token;
    }
    void read(fencing_token token) {
        const std::lock_guard hold{mutex_};
        in_order_ = in_order_ && token > written_;
        read_ = std::max(read_, token);
    }
    [[nodiscard]] bool in_order() const { return in_order_; }

private:
    std::mutex mutex_;
    bool in_order_ = true;
    fencing_token written_;
    fencing_token read_;
};

TEST_F(curator_read_write, readers_share_and_writers_are_alone_while_both_contend) {
    const critical_section section{folder.path()};
    auto theirs = program.start(
        {"mix", server().connect_string(), path, std::to_string(k_grants_each), folder.path()},
        folder.path() / "log");
    ASSERT_TRUE(theirs.wait_for_output("READY")) << theirs.output();
    token_order order;
    std::atomic<int> failures{0};
    std::atomic<int> written{0};
    std::vector<std::thread> workers;
    for (int i = 0; i != 2 * k_threads_of_a_kind; ++i) {
        const auto side = i % 2 == 0 ? lock.readers() : lock.writers();
        workers.emplace_back([&, side] {
            const bool reads = side.kind() == contender_kind::reader;
            while (failures == 0 && theirs.running()) {
                auto hold = side.acquire({.timeout = limit()});
                if (!hold) {
                    ++failures;
                    continue;
                }
                const auto token = hold->fencing_token();
                reads ? order.read(token) : order.write(token);
                if (!(reads ? section.read() : section.write())) ++failures;
                if (!reads) ++written;
                hold->unlock();
            }
        });
    }
    for (auto& worker : workers) worker.join();
    expect_done(theirs);
    EXPECT_EQ(failures, 0);
    EXPECT_TRUE(order.in_order());
    EXPECT_GT(written, 0);
    EXPECT_EQ(section.count(), written + k_threads_of_a_kind * k_grants_each);
    EXPECT_TRUE(becomes_long(0));
}

TEST_F(curator_read_write, our_reader_and_our_writer_wait_for_its_writer) {
    auto theirs = curators("write");
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    const auto znode = curators_znode(contender_kind::writer);
    EXPECT_TRUE(is_busy(lock.try_acquire_shared()));
    EXPECT_TRUE(is_busy(lock.try_acquire()));
    pending_hold reader{lock.readers()};
    ASSERT_TRUE(waits_for(*servers, znode));
    ASSERT_TRUE(becomes_long(2));
    pending_hold writer{lock.writers()};
    ASSERT_TRUE(becomes_long(3));
    EXPECT_FALSE(reader.granted());
    go_on.give();
    ASSERT_TRUE(reader.waits_no_more());
    EXPECT_FALSE(writer.granted());
    const auto before = reader.hold().fencing_token();
    reader.hold().unlock();
    ASSERT_TRUE(writer.waits_no_more());
    EXPECT_TRUE(writer.hold().valid());
    EXPECT_GT(writer.hold().fencing_token(), before);
    expect_done(theirs);
}

TEST_F(curator_read_write, its_reader_waits_for_our_writer_and_shares_with_our_reader) {
    auto hold = lock.acquire({.timeout = limit()}).value();
    auto theirs = curators("read");
    let_in_beside(lock, std::move(hold), theirs, *servers);
    const auto other = lock.acquire_shared({.timeout = limit()});
    ASSERT_TRUE(other) << other.error().message();
    EXPECT_TRUE(is_busy(lock.try_acquire()));
    go_on.give();
    expect_done(theirs);
}

TEST_F(curator_read_write, each_kind_waits_its_turn_in_one_queue) {
    auto first = lock.acquire_shared({.timeout = limit()}).value();
    auto writing = curators("write");
    ASSERT_TRUE(is_waited_for(first, *servers)) << writing.output();
    pending_hold reader{lock.readers()};  // this reader must queue behind the waiting writer
    ASSERT_TRUE(waits_for(*servers, curators_znode(contender_kind::writer)));
    pending_hold writer{lock.writers()};
    ASSERT_TRUE(becomes_long(4));
    EXPECT_EQ(writing.output().find("granted"), std::string::npos);
    first.unlock();
    ASSERT_TRUE(writing.wait_for_output("granted")) << writing.output();
    EXPECT_FALSE(reader.granted());
    go_on.give();
    ASSERT_TRUE(reader.waits_no_more());
    EXPECT_FALSE(writer.granted());
    reader.hold().unlock();
    ASSERT_TRUE(writer.waits_no_more());
    auto reading = curators("read");
    ASSERT_TRUE(is_waited_for(writer.hold(), *servers)) << reading.output();
    EXPECT_EQ(reading.output().find("granted"), std::string::npos);
    writer.hold().unlock();
    ASSERT_TRUE(reading.wait_for_output("released")) << reading.output();
}

// When a writer downgrades, Curator after 5.4 (its issue 621) creates a reader's znode with the writer's sequence
// number. Debian's Curator is older, so the test creates the writer's and the reader's znode.
TEST_F(curator_read_write, its_downgrade_lets_our_reader_in_and_keeps_our_writer_out) {
    const std::string name = path + "/_c_5a0f1d8e-6d0b-4a57-8f3e-0f3c4c1d9e21-";
    lock.acquire({.timeout = limit()}).value().release(limit()).value();  // creates the folder
    kit_test::zk_client theirs{server().connect_string()};
    std::string writing;
    ASSERT_EQ(theirs.create(name + "__WRIT__", ZOO_SEQUENCE | ZOO_EPHEMERAL, &writing), ZOK);
    pending_hold reader{lock.readers()};
    ASSERT_TRUE(waits_for(*servers, writing));
    ASSERT_TRUE(becomes_long(2));
    pending_hold writer{lock.writers()};
    ASSERT_TRUE(becomes_long(3));
    const auto reading = name + "__READ__" + writing.substr(writing.size() - 10);
    ASSERT_EQ(theirs.create(reading, ZOO_EPHEMERAL), ZOK);
    ASSERT_EQ(theirs.remove(writing), ZOK);
    ASSERT_TRUE(reader.waits_no_more());
    reader.hold().unlock();
    ASSERT_TRUE(waits_for(*servers, reading));
    EXPECT_FALSE(writer.granted());
    ASSERT_EQ(theirs.remove(reading), ZOK);
    EXPECT_TRUE(writer.waits_no_more());
}

TEST_F(curator_read_write, our_upgrade_waits_for_its_reader_and_its_next_reader_for_our_upgrade) {
    auto hold = lock.acquire_upgrade({.timeout = limit()}).value();
    auto theirs = curators("read");
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    EXPECT_TRUE(is_busy(lock.try_upgrade(hold)));
    testing::event upgraded;
    lock.async_upgrade(std::move(hold), {}, [&](guard mine, result<void> outcome) {
        EXPECT_TRUE(outcome);
        hold = std::move(mine);
        upgraded.set();
    });
    ASSERT_TRUE(waits_for(*servers, curators_znode(contender_kind::reader)));
    EXPECT_FALSE(upgraded.is_set());
    go_on.give();
    ASSERT_TRUE(upgraded.wait());
    ASSERT_TRUE(theirs.wait());
    auto next = curators("read");
    ASSERT_TRUE(is_waited_for(hold, *servers)) << next.output();
    EXPECT_EQ(lock.holders().value().size(), 2U);  // the upgradable contender and its upgrade
    hold.unlock();
    ASSERT_TRUE(next.wait());
    EXPECT_EQ(next.exit_code(), 0) << next.output();
}

// Curator's reader watches only the writer ahead of it. This library's upgrade is behind the reader. When the writer
// gives up, the reader must not hold the lock beside the upgrade.
TEST_F(curator_read_write, our_upgrade_is_alone_also_when_the_writer_that_it_passed_gives_up) {
    auto hold = lock.acquire_upgrade({.timeout = limit()}).value();
    kit_test::zk_client writer{server().connect_string()};
    std::string writing;
    ASSERT_EQ(writer.create(path + "/_c_5a0f1d8e-6d0b-4a57-8f3e-0f3c4c1d9e21-__WRIT__",
                            ZOO_SEQUENCE | ZOO_EPHEMERAL, &writing),
              ZOK);
    auto theirs = curators("read");
    ASSERT_TRUE(eventually([&] { return !watchers(writing).empty(); })) << theirs.output();
    ASSERT_TRUE(lock.upgrade(hold, {.timeout = limit()}));
    ASSERT_EQ(writer.remove(writing), ZOK);
    EXPECT_TRUE(is_waited_for(hold, *servers)) << theirs.output();
    EXPECT_EQ(theirs.output().find("granted"), std::string::npos);
    hold.unlock();
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    go_on.give();
    expect_done(theirs);
}

// The upgrade reads the queue, and then moves to the front. In between, the writer ahead of Curator's reader gives up.
// The reader may then hold the lock already, so the upgrade must wait for the reader.
TEST_F(curator_read_write, our_upgrade_waits_for_its_reader_that_such_a_writer_let_in) {
    auto hold = lock.acquire_upgrade({.timeout = limit()}).value();
    auto reader = lock.acquire_shared({.timeout = limit()}).value();  // makes the upgrade wait
    kit_test::zk_client writer{server().connect_string()};
    std::string writing;
    ASSERT_EQ(writer.create(path + "/_c_5a0f1d8e-6d0b-4a57-8f3e-0f3c4c1d9e21-__WRIT__",
                            ZOO_SEQUENCE | ZOO_EPHEMERAL, &writing),
              ZOK);
    auto theirs = curators("read");
    ASSERT_TRUE(eventually([&] { return !watchers(writing).empty(); })) << theirs.output();
    testing::event upgraded;
    lock.async_upgrade(std::move(hold), {}, [&](guard mine, const result<void>& outcome) {
        EXPECT_TRUE(outcome);
        hold = std::move(mine);
        upgraded.set();
    });
    ASSERT_TRUE(becomes_long(5));
    ASSERT_EQ(writer.remove(writing), ZOK);
    ASSERT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
    reader.unlock();
    ASSERT_TRUE(waits_for(*servers, curators_znode(contender_kind::reader)));
    EXPECT_FALSE(upgraded.is_set());
    go_on.give();
    ASSERT_TRUE(upgraded.wait());
    EXPECT_TRUE(hold.valid());
    expect_done(theirs);
}

}  // namespace
}  // namespace turnstile::tests
