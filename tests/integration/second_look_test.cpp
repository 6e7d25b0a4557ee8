// SPDX-License-Identifier: Apache-2.0
// Tests waiters that miss an event. An operator removes the permission to read the watched znode, and the servers then
// do not report its deletion (CVE-2024-23944). All waiters must still get the lock.
#include <optional>

#include "kit/zk_client.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

class second_look : public ::testing::Test {
protected:
    struct wait {
        testing::event queued;
        testing::event answered;
        std::optional<result<guard>> outcome;
        acquire_options options{.timeout = limit()};

        wait() {
            options.on_queued = [this](std::size_t) { queued.set(); };
        }
        void keep(result<guard> mine) {
            outcome.emplace(std::move(mine));
            answered.set();
        }
        void expect_granted() {
            ASSERT_TRUE(answered.wait());
            ASSERT_TRUE(*outcome) << outcome->error().message();
            EXPECT_TRUE((*outcome)->release(limit()));
        }
    };

    void SetUp() override { ASSERT_TRUE(admin.connected.wait()); }
    // Waits until a client watches the hold's znode, and then removes the permission to read that znode.
    void hide(const guard& hold) {
        ASSERT_TRUE(eventually([&] {
            return server().four_letter_word(0, "wchp").find(hold.znode()) != std::string::npos;
        }));
        ASSERT_EQ(admin.hide(hold.znode()), ZOK);
    }
    template <class Enter>
    void expect_that_all_go_on(guard& hold, Enter&& enter) {
        enter(next);
        ASSERT_TRUE(next.queued.wait());
        enter(last);
        ASSERT_TRUE(last.queued.wait());
        hide(hold);
        ASSERT_TRUE(hold.release(limit()));
        next.expect_granted();
        last.expect_granted();
    }

    const std::string path = lock_path();
    std::unique_ptr<client> first = connect(server().connect_string());
    std::unique_ptr<client> second = connect(server().connect_string());
    kit_test::zk_client admin{server().connect_string()};
    wait next;
    wait last;
};

TEST_F(second_look, of_a_mutex) {
    mutex held{*first, path};
    mutex wanted{*second, path};
    auto hold = held.acquire({.timeout = limit()}).value();
    expect_that_all_go_on(hold, [&](wait& waiter) {
        wanted.async_acquire(waiter.options,
                             [&waiter](result<guard> mine) { waiter.keep(std::move(mine)); });
    });
}

TEST_F(second_look, of_a_shared_mutex) {
    shared_mutex held{*first, path};
    shared_mutex wanted{*second, path};
    auto hold = held.acquire_shared({.timeout = limit()}).value();
    expect_that_all_go_on(hold, [&](wait& waiter) {
        wanted.async_acquire(waiter.options,
                             [&waiter](result<guard> mine) { waiter.keep(std::move(mine)); });
    });
}

TEST_F(second_look, of_a_semaphore) {
    semaphore held{*first, path, 1};
    semaphore wanted{*second, path, 1};
    auto hold = held.acquire({.timeout = limit()}).value();
    expect_that_all_go_on(hold, [&](wait& waiter) {
        wanted.async_acquire(1, waiter.options,
                             [&waiter](result<guard> mine) { waiter.keep(std::move(mine)); });
    });
}

// The waiter `next` gives up. The waiter `last` behind it does not get the event that the znode of `next` is gone.
TEST_F(second_look, of_one_further_back) {
    mutex held{*first, path};
    mutex wanted{*second, path};
    auto hold = held.acquire({.timeout = limit()}).value();
    std::stop_source stop;
    next.options.stop = stop.get_token();
    wanted.async_acquire(next.options, [&](result<guard> mine) { next.keep(std::move(mine)); });
    ASSERT_TRUE(next.queued.wait());
    mutex behind{*first, path};
    behind.async_acquire(last.options, [&](result<guard> mine) { last.keep(std::move(mine)); });
    ASSERT_TRUE(last.queued.wait());
    const auto znode = path + '/' + queue_names(*first, path).at(1);
    ASSERT_TRUE(eventually(
        [&] { return server().four_letter_word(0, "wchp").find(znode) != std::string::npos; }));
    ASSERT_EQ(admin.hide(znode), ZOK);
    stop.request_stop();
    ASSERT_TRUE(next.answered.wait());
    ASSERT_TRUE(hold.release(limit()));
    last.expect_granted();
}

}  // namespace
}  // namespace turnstile::tests
