// SPDX-License-Identifier: Apache-2.0
// Tests messages that are lost between a client and a real server (promises G4 and G8 in docs/guarantees.md). A proxy
// cuts the connection in place of the message. The lock must be granted once, and no znode may remain.
#include <future>

#include "support.hpp"

namespace turnstile::tests {
namespace {

// A message that the proxy loses once: in place of the message, the proxy cuts the connection.
struct lost_message {
    const char* name;
    direction way;
    std::int32_t op;
};

void PrintTo(const lost_message& loss, std::ostream* out) {
    *out << loss.name;
}

class lost : public ::testing::TestWithParam<lost_message> {
protected:
    const std::string path = "/tests/lost-" + std::string{GetParam().name} + "-" +
                             ::testing::UnitTest::GetInstance()->current_test_info()->name();
    testing::event lost_one;  // before the proxy, whose thread sets it
    tcp_proxy proxy{server().connect_string(0)};
    std::unique_ptr<client> servers = connect(proxy.address());
    std::unique_ptr<client> observer = connect(server().connect_string());
    mutex lock{*servers, path};

    void SetUp() override {
        // Creates the folder, so that the next request to create a znode is for a contender.
        mutex first{*observer, path};
        ASSERT_TRUE(first.acquire({.timeout = limit()})->release(limit()));
    }

    // Loses the next message of the tested kind, and cuts the connection.
    void lose_next() {
        proxy.filter(GetParam().way, [this](frame& frame) {
            const auto kind =
                GetParam().way == direction::to_server ? frame_kind::request : frame_kind::reply;
            if (lost_one.is_set() || !frame.is(kind, GetParam().op)) return verdict::forward;
            lost_one.set();
            return verdict::cut_connection;
        });
    }
};

// Failure F36: in another library, the server created the znode, but the request timed out. So the client waited behind
// its own znode.
TEST_P(lost, F36_while_acquiring_the_lock_is_granted_all_the_same) {
    lose_next();
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(queue_names(*observer, path).size(), 1U);
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(lost_one.is_set() || GetParam().op == opcode::remove);
    EXPECT_TRUE(becomes_empty(*observer, path));
}

// Failure F7: in another library, a failed release forgets the lock and leaves the znode.
TEST_P(lost, F7_while_releasing_the_release_is_carried_through) {
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    lose_next();
    hold->unlock();
    EXPECT_TRUE(becomes_empty(*observer, path));
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
}

// Failures F6 and F24: the caller gives up before it knows whether the servers created its znode.
TEST_P(lost, F24_a_caller_that_gives_up_meanwhile_leaves_nothing) {
    lose_next();
    std::stop_source stop;
    auto waiting =
        std::async(std::launch::async, [&] { return lock.acquire({.stop = stop.get_token()}); });
    ASSERT_TRUE(GetParam().op == opcode::remove || lost_one.wait());
    stop.request_stop();
    const auto outcome = waiting.get();
    EXPECT_TRUE(outcome || outcome.error() == errc::cancelled);
    EXPECT_TRUE(becomes_size(*observer, path, outcome ? 1 : 0));
    servers->close();
    EXPECT_TRUE(becomes_empty(*observer, path));
}

// The client queues behind a holder. If its `create` or the reply is lost, the client must find its znode or repeat the
// request. In the end it must have one znode.
TEST_P(lost, in_the_queue_there_is_one_znode_and_the_order_holds) {
    mutex theirs{*observer, path};
    auto first = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    lose_next();
    auto waiting = std::async(std::launch::async, [&] { return lock.acquire(); });
    ASSERT_TRUE(GetParam().op == opcode::remove || lost_one.wait());
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    const auto before = first->fencing_token();
    first->unlock();
    const auto second = waiting.get();
    ASSERT_TRUE(second) << second.error().message();
    EXPECT_LT(before, second->fencing_token());
}

INSTANTIATE_TEST_SUITE_P(
    message, lost,
    ::testing::Values(lost_message{"create_request", direction::to_server, opcode::create2},
                      lost_message{"create_reply", direction::to_client, opcode::create2},
                      lost_message{"list_request", direction::to_server, opcode::get_children2},
                      lost_message{"list_reply", direction::to_client, opcode::get_children2},
                      lost_message{"remove_request", direction::to_server, opcode::remove},
                      lost_message{"remove_reply", direction::to_client, opcode::remove}),
    [](const auto& parameter) { return std::string{parameter.param.name}; });

}  // namespace
}  // namespace turnstile::tests
