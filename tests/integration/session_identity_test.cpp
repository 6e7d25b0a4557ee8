// SPDX-License-Identifier: Apache-2.0
// Tests servers that give a second session the id of a living session. ZooKeeper computes ids from the milliseconds
// since boot, so a server that starts at the same millisecond after boot repeats its ids.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"
#include "support/descriptor.hpp"
#include "turnstile/tools/session_secret.hpp"

namespace turnstile::tests {
namespace {

// The timeout of sessions that must outlive a restart of their server, also on a busy machine.
constexpr auto k_over_a_restart = 60s;

// Servers that give the same first session id at each start.
class repeating_servers {
public:
    explicit repeating_servers(std::size_t count = 1) : servers_{begin(count)} {}

    [[nodiscard]] std::string where() const { return servers_.connect_string(); }
    [[nodiscard]] std::string where(std::size_t i) const { return servers_.connect_string(i); }
    void restart(std::size_t i = 0) {
        servers_.kill(i);
        servers_.start(i);
        servers_.wait_until_serving();
    }

private:
    static testing::ensemble_options begin(std::size_t count) {
        ::setenv("JAVA_TOOL_OPTIONS", "-Xbootclasspath/a:" TURNSTILE_REPEATED_CLOCK, 1);
        return {.count = count};
    }

    ensemble servers_;
};

// A foreign program that has the id and password of a client's session, as if a server had given that session to the
// program.
class stranger {
public:
    stranger(const std::string& where, const session_secret& secret) {
        clientid_t id{};
        id.client_id = secret.id;
        std::copy(secret.password.begin(), secret.password.end(), std::begin(id.passwd));
        handle_ = ::zookeeper_init(where.c_str(), ignore, 30'000, &id, nullptr, 0);
    }
    ~stranger() { leave(); }
    stranger(const stranger&) = delete;
    stranger& operator=(const stranger&) = delete;

    bool create(const std::string& path) {
        const int rc = ::zoo_create(handle_, path.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                                    ZOO_EPHEMERAL, nullptr, 0);
        return rc == ZOK || rc == ZNODEEXISTS;
    }
    bool owns(const std::string& path) {
        return ::zoo_exists(handle_, path.c_str(), 0, nullptr) == ZOK;
    }
    void leave() {
        if (handle_ != nullptr) ::zookeeper_close(std::exchange(handle_, nullptr));
    }

private:
    static void ignore(zhandle_t*, int, int, const char*, void*) {}

    zhandle_t* handle_ = nullptr;
};

// A client that holds the test's lock, and the id of its session.
struct held_session {
    explicit held_session(client& of)
        : holder{of},
          lock{of, lock_path()},
          hold{lock.acquire({.timeout = limit()})},
          id{of.session().id} {}

    // Checks that the client still has the session that it had at the grant, and that this session can write.
    void expect_untouched() const {
        const auto written =
            hold->commit(transaction{}.create(lock_path() + ".after", ""), {.timeout = limit()});
        EXPECT_TRUE(written) << written.error().message();
        EXPECT_EQ(holder.session().id, id);
        EXPECT_TRUE(hold->valid());
    }

    client& holder;
    mutex lock;
    result<guard> hold;
    std::int64_t id;
};

TEST(session_identity, of_a_holder_is_left_to_it) {
    repeating_servers server;
    const auto holder = connect(server.where(), quick_options(k_over_a_restart));
    const held_session held{*holder};
    ASSERT_TRUE(held.hold) << held.hold.error().message();
    server.restart();

    auto next = connect(server.where(), quick_options(k_over_a_restart));
    EXPECT_NE(next->session().id, held.id) << "the server gave out the holder's id";
    next.reset();
    held.expect_untouched();
}

// A server gives the holder's session id to a second client. The leader then accepts the session's writes only through
// that server, so the holder must attach to its own server again.
TEST(session_identity, of_a_holder_that_is_attached_elsewhere_is_left_to_it) {
    repeating_servers servers{3};
    const auto holder = connect(servers.where(), quick_options(k_over_a_restart));
    const held_session held{*holder};
    ASSERT_TRUE(held.hold) << held.hold.error().message();
    const auto giver =
        (static_cast<std::uint64_t>(held.id) >> 56U) - 1;  // an id begins with the server's number
    servers.restart(giver);

    auto next = connect(servers.where(giver), quick_options(k_over_a_restart));
    EXPECT_NE(next->session().id, held.id) << "the server gave out the holder's id";
    next.reset();
    held.expect_untouched();
}

// The idle client holds no lock. If the second client used the same session, either client could later end the other's
// session.
TEST(session_identity, of_an_idle_client_is_left_to_it) {
    repeating_servers server;
    const auto idle = connect(server.where(), quick_options(k_over_a_restart));
    const auto id = idle->session().id;
    server.restart();

    const auto next = connect(server.where(), quick_options(k_over_a_restart));
    EXPECT_NE(next->session().id, id) << "the server gave out the idle client's id";
}

// The client skips the ids of any number of living sessions, and names them in the log.
TEST(session_identity, is_found_behind_those_of_many_clients) {
    repeating_servers server;
    std::vector<std::unique_ptr<client>> before;
    std::set<std::int64_t> ids;
    for (int i = 0; i != 20; ++i) {
        before.push_back(connect(server.where(), quick_options(k_over_a_restart)));
        ids.insert(before.back()->session().id);
    }
    server.restart();
    const auto next = connect(server.where(), quick_options(k_over_a_restart));
    EXPECT_FALSE(ids.contains(next->session().id));
}

// After an attach to a read-only server, the C client opens a second session by itself. In this test, the restarted
// server first repeats the id of an idle client's session, and the proxy makes that answer look read-only. So the C
// client opens a second session, and gets the id of a lock holder's session. The library must not use that session.
//
// All clients use the proxy, because all clients of a process need the same servers if one of them may attach read-only
// (read_only_claim.hpp).
TEST(session_identity, of_a_holder_is_left_to_it_by_a_client_with_a_read_only_start) {
    repeating_servers server;
    tcp_proxy proxy{server.where()};
    const auto idle = connect(proxy.address(), quick_options(k_over_a_restart));
    const auto holder = connect(proxy.address(), quick_options(k_over_a_restart));
    const held_session held{*holder};
    ASSERT_TRUE(held.hold) << held.hold.error().message();
    server.restart();

    std::mutex guards;
    std::vector<std::uint64_t> openings;  // connections that request a new session
    bool given = false;                   // true: one of them got the holder's session
    proxy.filter(direction::to_server, [&](frame& f) {
        const std::lock_guard locked{guards};
        if (f.kind() == frame_kind::handshake && f.session_id() == 0)
            openings.push_back(f.connection());
        return verdict::forward;
    });
    proxy.filter(direction::to_client, [&](frame& f) {
        const std::lock_guard locked{guards};
        const auto opening = std::find(openings.begin(), openings.end(), f.connection());
        if (f.kind() != frame_kind::handshake || opening == openings.end()) return verdict::forward;
        given = given || f.session_id() == held.id;
        if (opening != openings.begin()) return verdict::forward;
        std::vector<std::byte> body{f.body().begin(), f.body().end()};
        body.back() = std::byte{1};  // sets readOnly
        f.rewrite(std::move(body));
        return verdict::forward;
    });
    auto options = quick_options(k_over_a_restart);
    options.attach_to_read_only = read_only_policy::allowed;
    auto next = connect(proxy.address(), options);
    {
        const std::lock_guard locked{guards};
        ASSERT_TRUE(given) << "the server did not give out the holder's id";
    }
    EXPECT_NE(next->session().id, held.id);
    next.reset();
    held.expect_untouched();
    proxy.filter(direction::to_server, {});
    proxy.filter(direction::to_client, {});
}

// Another program has the holder's session id and password, and does not check whether the session is in use. The
// holder and this program write through different servers, and the leader accepts the writes through only one of these
// servers.
TEST(session_identity, that_a_stranger_has_too_is_given_up_without_closing_it) {
    const ensemble servers{{.count = 3}};
    const auto holder = connect(servers.connect_string(0), quick_options(30s));
    const auto observer = connect(servers.connect_string(2));
    mutex lock{*holder, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto secret = secret_of(*holder);
    stranger other{servers.connect_string(1), secret};
    ASSERT_TRUE(eventually([&] {
        static_cast<void>(other.create("/stranger"));
        static_cast<void>(hold->commit(transaction{}.check("/"), {.timeout = 200ms}));
        return hold->lost().stop_requested();
    })) << "the holder is not told";
    EXPECT_FALSE(hold->valid());
    EXPECT_TRUE(becomes_empty(*observer, lock_path())) << "the holder's znode is an orphan";
    ASSERT_TRUE(holder->wait_connected(limit()));
    EXPECT_TRUE(eventually([&] { return holder->session().id != secret.id; }));
    EXPECT_TRUE(eventually([&] { return other.owns("/stranger"); }))
        << "the stranger's session was closed";
}

// A proxy that determines the answer when a client asks for a session's znodes.
class session_question : public ::testing::Test {
protected:
    void answer_with(std::function<verdict(frame&)> answer) {
        proxy.filter(direction::to_server, [this, answer = std::move(answer)](frame& f) {
            constexpr std::int32_t k_get_ephemerals = 103;
            if (!f.is(frame_kind::request, k_get_ephemerals)) return verdict::forward;
            ++asked;
            return answer(f);
        });
    }
    // Checks that a client gets a lock, and that another session can be opened.
    void expect_work() {
        const auto servers = connect(proxy.address());
        mutex lock{*servers, lock_path()};
        const auto hold = lock.acquire({.timeout = limit()});
        EXPECT_TRUE(hold) << hold.error().message();
        ASSERT_TRUE(close_session_of(*servers));
        EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    }
    static bool close_session_of(const client& servers) {
        const auto secret = secret_of(servers);
        testing::close_session(server().connect_string(), secret.id,
                               {secret.password.data(), secret.password.size()});
        return eventually([&] { return servers.session().id != secret.id; });
    }

    std::atomic<int> asked{0};
    tcp_proxy proxy{server().connect_string(0)};
};

TEST_F(session_question, that_a_server_does_not_know_is_asked_once) {
    answer_with([](frame& f) {
        f.rewrite_opcode(opcode::unknown);
        return verdict::forward;
    });
    expect_work();
    EXPECT_EQ(asked, 1) << "the sessions of a client learn from each other";
}

TEST_F(session_question, at_which_a_server_hangs_up_is_given_up) {
    answer_with([](frame&) { return verdict::cut_connection; });
    expect_work();
    EXPECT_GE(asked, 3) << "one connection may break by itself";
}

TEST_F(session_question, at_which_a_connection_breaks_is_asked_again) {
    std::atomic<int> left{2};
    answer_with([&](frame&) { return left-- > 0 ? verdict::cut_connection : verdict::forward; });
    expect_work();
    EXPECT_GE(asked, 4)
        << "twice in vain, and once for each session: an attempt that times out asks again";
}

// The kernel accepts the connection, and no server reads from it.
TEST_F(session_question, that_a_server_leaves_open_is_put_to_the_next_one) {
    const testing::loopback_port port;
    const support::descriptor silent{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port.number());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(silent.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(silent.get(), 8), 0);
    for (int i = 0; i != 4; ++i)  // because the order of servers is random
        connect(port.address() + "," + proxy.address(), quick_options(2s));
}

TEST_F(session_question, that_no_server_answers_does_not_hold_up_a_close) {
    answer_with([](frame&) { return verdict::hold; });
    client servers{proxy.address(), quick_options(60s)};
    ASSERT_TRUE(eventually([&] { return asked > 0; }));
    servers.close();
    EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace turnstile::tests
