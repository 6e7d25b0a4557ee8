// SPDX-License-Identifier: Apache-2.0
// Tests the proxy's actions on single messages. Each action is a kind of loss that a lock must survive.
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "kit/proxy_fixture.hpp"

namespace {

using namespace turnstile::testing;
using kit_test::zk_client;

class proxy_filter_test : public kit_test::proxy_fixture {
protected:
    proxy_filter_test() { EXPECT_TRUE(client_.connected.wait()); }

    zk_client client_{proxy_.address()};
};

// Returns a filter with one verdict for one kind of message, and `forward` for all others.
tcp_proxy::frame_filter on(frame_kind kind, std::int32_t op, verdict answer) {
    return [=](frame& message) { return message.is(kind, op) ? answer : verdict::forward; };
}

TEST_F(proxy_filter_test, loses_a_create_before_the_server_sees_it) {
    proxy_.filter(direction::to_server,
                  on(frame_kind::request, opcode::create2, verdict::cut_connection));
    EXPECT_EQ(client_.create("/never-seen", ZOO_EPHEMERAL), ZCONNECTIONLOSS);
    EXPECT_EQ(direct_.exists("/never-seen"), ZNONODE);
    EXPECT_EQ(proxy_.requests(opcode::create2), 1U);
}

TEST_F(proxy_filter_test, loses_a_creates_reply_only) {
    proxy_.filter(direction::to_client,
                  on(frame_kind::reply, opcode::create2, verdict::cut_connection));
    EXPECT_EQ(client_.create("/made-but-unknown", ZOO_EPHEMERAL), ZCONNECTIONLOSS);
    EXPECT_EQ(direct_.exists("/made-but-unknown"), ZOK);
    EXPECT_TRUE(client_.connected.wait(2));
}

TEST_F(proxy_filter_test, drops_and_lets_the_next_ones_pass) {
    proxy_.filter(direction::to_client, [&](frame& message) {
        return message.kind() == frame_kind::watch_event ? verdict::drop : verdict::forward;
    });
    ASSERT_EQ(direct_.create("/watched", ZOO_EPHEMERAL), ZOK);
    ASSERT_EQ(client_.exists("/watched", true), ZOK);
    ASSERT_EQ(direct_.remove("/watched"), ZOK);
    // If the proxy had forwarded the event, it would have arrived before this answer.
    EXPECT_EQ(client_.exists("/watched"), ZNONODE);
    EXPECT_FALSE(client_.watch_fired.is_set());
    EXPECT_EQ(proxy_.watch_events(), 1U);
}

TEST_F(proxy_filter_test, holds_until_released) {
    proxy_.filter(direction::to_server, on(frame_kind::request, opcode::create2, verdict::hold));
    auto future =
        std::async(std::launch::async, [&] { return client_.create("/held", ZOO_EPHEMERAL); });
    ASSERT_TRUE(eventually([&] { return proxy_.held() == 1; }));
    EXPECT_EQ(direct_.exists("/held"), ZNONODE);
    proxy_.release_held();
    EXPECT_EQ(future.get(), ZOK);
    EXPECT_EQ(proxy_.held(), 0U);
    EXPECT_EQ(proxy_.requests(opcode::create2), 1U);
}

TEST_F(proxy_filter_test, plays_a_server_that_is_too_old) {
    proxy_.filter(direction::to_server, [](frame& message) {
        if (message.is(frame_kind::request, opcode::create_container)) {
            message.rewrite_opcode(opcode::unknown);
        }
        return verdict::forward;
    });
    EXPECT_EQ(client_.create("/container", ZOO_CONTAINER), ZUNIMPLEMENTED);
    // The server closes the connection after a request of an unknown type, but keeps the session.
    EXPECT_TRUE(client_.connected.wait(2));
    EXPECT_FALSE(client_.expired.is_set());
    EXPECT_EQ(client_.create("/folder", ZOO_EPHEMERAL), ZOK);
    EXPECT_EQ(proxy_.requests(opcode::create_container), 1U);
}

TEST_F(proxy_filter_test, sees_paths_errors_and_what_a_reply_answers) {
    std::mutex mutex;
    std::vector<std::string> seen;
    const auto note = [&](const frame& message) {
        if (message.op() == opcode::ping) return verdict::forward;
        const std::lock_guard hold{mutex};
        seen.push_back(std::to_string(message.op()) + " " + message.path() + " " +
                       std::to_string(message.error()));
        return verdict::forward;
    };
    proxy_.filter(direction::to_server, note);
    proxy_.filter(direction::to_client, note);
    ASSERT_EQ(client_.create("/noted", ZOO_EPHEMERAL), ZOK);
    ASSERT_EQ(client_.remove("/none"), ZNONODE);
    proxy_.filter(direction::to_server, nullptr);
    proxy_.filter(direction::to_client, nullptr);
    const std::vector<std::string> expected{"15 /noted 0", "15  0", "2 /none 0", "2  -101"};
    EXPECT_EQ(seen, expected);
}

TEST_F(proxy_filter_test, may_use_the_proxy_itself) {
    proxy_.filter(direction::to_client, [&](frame& message) {
        if (!message.is(frame_kind::reply, opcode::create2)) return verdict::forward;
        EXPECT_EQ(proxy_.requests(opcode::create2), 1U);
        proxy_.filter(direction::to_client, nullptr);
        proxy_.cut();
        return verdict::forward;
    });
    EXPECT_EQ(client_.create("/cut-by-filter", ZOO_EPHEMERAL), ZCONNECTIONLOSS);
    EXPECT_TRUE(client_.connected.wait(2));
    EXPECT_EQ(client_.exists("/cut-by-filter"), ZOK);
}

TEST_F(proxy_filter_test, cuts_when_a_filter_throws) {
    proxy_.filter(direction::to_server, [](frame& message) -> verdict {
        if (message.is(frame_kind::request, opcode::exists)) throw std::runtime_error{"test"};
        return verdict::forward;
    });
    EXPECT_EQ(client_.exists("/any"), ZCONNECTIONLOSS);
}

TEST_F(proxy_filter_test, tells_connections_and_handshakes_apart) {
    std::mutex mutex;
    std::vector<std::int64_t> sessions;
    proxy_.filter(direction::to_server, [&](frame& message) {
        if (message.kind() == frame_kind::handshake) {
            const std::lock_guard hold{mutex};
            sessions.push_back(message.session_id());
            EXPECT_EQ(message.connection(), 2U);
        }
        return verdict::forward;
    });
    proxy_.cut();
    EXPECT_TRUE(client_.connected.wait(2));
    const std::lock_guard hold{mutex};
    EXPECT_EQ(sessions, std::vector<std::int64_t>{client_.session_id()});
}

}  // namespace
