// SPDX-License-Identifier: Apache-2.0
// Tests a waiter that lists the folder when it gets the event of a removed znode. The client gets the folder's children
// together with the event, so it sends no further request. The server sends a bell, a message that wakes the session.
// After a plain removal the bell contains the event. After a removal with a version, the client must fetch the event.
#include <functional>
#include <future>
#include <initializer_list>
#include <stdexcept>

#include "redis/coordinator.hpp"
#include "redis_support.hpp"
#include "session_recorder.hpp"

namespace turnstile::tests {
namespace {

using core::create_mode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The timeouts are so long that the sessions send no keep-alives. So the server runs only the test's scripts.
class lists_along_on_redis : public on_redis {
protected:
    [[nodiscard]] session_recorder open(const std::string& credentials = {}) const {
        return open_at(server.connect_string(), credentials);
    }
    [[nodiscard]] static session_recorder open_at(const std::string& where,
                                                  const std::string& credentials = {}) {
        auto settings = recorder_settings();
        settings.timeout = 1h;
        settings.credentials = credentials;
        return session_recorder{redis::make_coordinator(where), settings};
    }
    // Returns the number of scripts that the server has executed.
    [[nodiscard]] long scripts() const {
        const auto text = server.ask("INFO commandstats");
        constexpr std::string_view k_calls = "cmdstat_evalsha:calls=";
        return std::stol(text.substr(text.find(k_calls) + k_calls.size()));
    }
    // Executes one request, when the session is attached.
    static void ask(session_recorder& by, core::operation operation) {
        by.attached();
        const auto reply = by.ask(std::move(operation));
        EXPECT_EQ(reply.outcome, core::outcome::answered);
        EXPECT_EQ(reply.error, core::server_error::ok);
    }
    static void create(session_recorder& by, const std::string& path,
                       core::acl_policy acl = core::acl_policy::open) {
        ask(by, core::create_op{path, "data", create_mode::persistent, acl});
    }
    static void create_all(session_recorder& by, std::initializer_list<const char*> paths) {
        for (const auto* each : paths) create(by, each);
    }
    static void watch(session_recorder& by, const std::string& path) {
        ask(by, core::exists_op{path, core::watch_mode::watch});
    }
    static core::ticket list(session_recorder& by) {
        return by.submit(core::children_op{"/folder", core::watch_mode::none});
    }
    // The result of remove_and_list(): the waiter gets the event that `/folder/a` is removed, executes `first`, and
    // lists `/folder`.
    struct heard {
        core::reply listing;
        long scripts_at_event = 0;  // scripts since the removal
        long scripts = 0;
        core::time_point removed_at{};
    };
    heard remove_and_list(
        session_recorder& remover, session_recorder& waiter, core::remove_op removal,
        std::function<void()> first = [] {}) const {
        heard found;
        std::promise<core::ticket> listing;
        waiter.at_watch_event([&](const core::watch_event& event) {
            if (event.path != "/folder/a") return;
            found.scripts_at_event = scripts();
            first();
            listing.set_value(list(waiter));
        });
        watch(waiter, "/folder/a");
        const long before = scripts();
        found.removed_at = boottime_clock::now();
        ask(remover, std::move(removal));
        auto asked = listing.get_future();
        if (asked.wait_for(testing::limit()) != std::future_status::ready)
            throw std::runtime_error{"waited in vain for the event"};
        const auto id = asked.get();
        found.listing = waiter.wait(id);
        found.scripts_at_event -= before;
        found.scripts = scripts() - before;
        return found;
    }
    static constexpr const char* k_later = "9000000000000000";
    // Publishes a bell (a message that wakes the session) which looks as if a script had removed `/folder/a`.
    void publish_removal(session_recorder& session, const std::string& zxid) const {
        const auto id = std::to_string(session.session().identity().id);
        EXPECT_EQ(server.ask("EVAL \"local e = struct.pack('<BI4', 1, 9) .. '/folder/a' "
                             "local t = struct.pack('<dI4', ARGV[1], #e) .. e "
                             "return redis.call('PUBLISH', '{turnstile}:' .. ARGV[2], "
                             "redis.sha1hex(t .. redis.call('HGET', '{turnstile}:n', 's' .. "
                             "ARGV[2])) .. t)\" 0 " +
                             zxid + " " + id),
                  ":1");
    }
    static core::remove_op told() { return {"/folder/a"}; }
    static core::remove_op fetched() { return {"/folder/a", 0}; }
};

TEST_F(lists_along_on_redis, answer_what_is_asked_at_an_event_that_the_bell_tells) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a", "/folder/b"});
    const auto found = remove_and_list(remover, waiter, told());
    EXPECT_EQ(found.scripts_at_event, 1) << "the removal";
    EXPECT_EQ(found.listing.outcome, core::outcome::answered);
    EXPECT_EQ(found.listing.error, core::server_error::ok);
    EXPECT_THAT(found.listing.children, ElementsAre("b"));
    EXPECT_LT(found.listing.sent, found.removed_at) << "when the server was last asked";
    EXPECT_NE(found.listing.sent, core::time_point{});
    EXPECT_EQ(found.listing.connection, 1U);
    EXPECT_EQ(found.listing.stat, waiter.wait(list(waiter)).stat);
}

// A bell (a message that wakes the session) contains the first event. The client must fetch the second event at once,
// because the sessions send no further request whose answer would bring that event.
TEST_F(lists_along_on_redis, leave_no_event_behind_one_that_the_bell_tells) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a", "/folder/b"});
    watch(waiter, "/folder/b");
    remove_and_list(remover, waiter, told());
    ask(remover, core::remove_op{"/folder/b"});
    EXPECT_EQ(waiter.watch("/folder/b").kind, core::watch_kind::deleted);
    EXPECT_THAT(waiter.heard<core::watch_event>(), SizeIs(2)) << "each once";
}

// The answer to the request in progress may be older than the removal. So the client must not use the event in the bell
// (the message that wakes the session), and must fetch the event from the server.
TEST_F(lists_along_on_redis, no_bell_is_believed_while_a_request_is_under_way) {
    tcp_proxy proxy{server.address(), testing::traffic::bytes};
    auto remover = open();
    auto waiter = open_at("redis://" + proxy.address());
    create_all(remover, {"/folder", "/folder/a"});
    watch(waiter, "/folder/a");
    proxy.black_hole(testing::direction::to_server);
    const auto asked = waiter.submit(core::exists_op{"/folder"});
    ASSERT_TRUE(eventually([&] { return proxy.keeps(testing::direction::to_server); }));
    publish_removal(waiter, k_later);
    for (int i = 0; i != 20; ++i) ask(remover, core::exists_op{"/folder"});
    proxy.pass(testing::direction::to_server);
    waiter.wait(asked);
    ask(waiter, core::exists_op{"/folder"});
    EXPECT_THAT(waiter.heard<core::watch_event>(), IsEmpty());
}

// The test publishes bells (messages that wake the session) with a wrong hash, as if another client had sent them or
// they belonged to an earlier connection.
TEST_F(lists_along_on_redis, no_bell_is_believed_that_is_not_the_servers_for_the_session) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    watch(waiter, "/folder/a");
    const auto channel = "{turnstile}:" + std::to_string(waiter.session().identity().id);
    const long before = scripts();
    const auto body = std::string(80, '1');
    for (const auto& payload : {std::string(40, '0') + body, body})
        EXPECT_EQ(server.ask("PUBLISH " + channel + " " + payload), ":1");
    EXPECT_TRUE(eventually([&] { return scripts() > before; })) << "the server is asked";
    ask(waiter, core::exists_op{"/folder/a"});
    EXPECT_THAT(waiter.heard<core::watch_event>(), IsEmpty());
    ask(remover, told());
    EXPECT_EQ(waiter.watch("/folder/a").kind, core::watch_kind::deleted);
}

// A reply brings all earlier events. A bell is a message that wakes the session. If its event is not newer than the
// latest reply, the client must ignore that event.
TEST_F(lists_along_on_redis, no_bell_is_believed_that_comes_behind_a_later_reply) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    watch(waiter, "/folder/a");
    const long before = scripts();
    publish_removal(waiter, "1");
    EXPECT_TRUE(eventually([&] { return scripts() > before; })) << "the server is asked";
    ask(waiter, core::exists_op{"/folder/a"});
    EXPECT_THAT(waiter.heard<core::watch_event>(), IsEmpty());
    publish_removal(waiter, k_later);
    EXPECT_EQ(waiter.watch("/folder/a").kind, core::watch_kind::deleted);
}

TEST_F(lists_along_on_redis, answer_what_is_asked_at_an_event_that_is_fetched) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a", "/folder/b"});
    const auto found = remove_and_list(remover, waiter, fetched());
    EXPECT_EQ(found.listing.outcome, core::outcome::answered);
    EXPECT_EQ(found.listing.error, core::server_error::ok);
    EXPECT_THAT(found.listing.children, ElementsAre("b"));
    EXPECT_EQ(found.listing.stat.num_children, 1);
    EXPECT_EQ(found.listing.stat.data_length, 4);
    EXPECT_EQ(found.listing.connection, 1U);
    EXPECT_NE(found.listing.sent, core::time_point{});
    EXPECT_EQ(found.scripts, 2) << "the removal, and the fetch of the event";
    EXPECT_EQ(found.listing.stat, waiter.wait(list(waiter)).stat);
}

TEST_F(lists_along_on_redis, of_an_empty_folder_are_empty) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    const auto found = remove_and_list(remover, waiter, fetched());
    EXPECT_THAT(found.listing.children, IsEmpty());
    EXPECT_EQ(found.scripts, 2);
}

// The list of the folder's children must show the effects of the waiter's own earlier requests.
TEST_F(lists_along_on_redis, do_not_pass_a_request_that_was_submitted_before) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    const auto found = remove_and_list(remover, waiter, fetched(), [&] {
        waiter.submit(core::create_op{"/folder/mine", "", create_mode::ephemeral});
    });
    EXPECT_THAT(found.listing.children, ElementsAre("mine"));
    EXPECT_EQ(found.scripts, 4);
}

TEST_F(lists_along_on_redis, are_of_the_folder_that_is_asked_for) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a", "/folder/a2", "/other"});
    core::ticket other{};
    remove_and_list(remover, waiter, fetched(), [&] {
        other = waiter.submit(core::children_op{"/other", core::watch_mode::none});
    });
    EXPECT_THAT(waiter.wait(other).children, IsEmpty());
}

TEST_F(lists_along_on_redis, set_no_watch) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    remove_and_list(remover, waiter, fetched(), [&] {
        waiter.submit(core::children_op{"/folder", core::watch_mode::watch});
    });
    create_all(remover, {"/folder/b"});
    EXPECT_EQ(waiter.watch("/folder").kind, core::watch_kind::children);
}

// The server sends the folder's list with the event of a removal only if the folder has at most 1,000 children. Here
// the waiter must request the list after the event.
TEST_F(lists_along_on_redis, are_short) {
    constexpr int k_many = 1001;
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    core::multi_op many;
    for (int i = 0; i != k_many; ++i)
        many.parts.emplace_back(
            core::create_op{"/folder/b" + std::to_string(i), "", create_mode::persistent});
    ask(remover, std::move(many));
    const auto found = remove_and_list(remover, waiter, fetched());
    EXPECT_THAT(found.listing.children, SizeIs(k_many));
    EXPECT_EQ(found.scripts, 3);
}

TEST_F(lists_along_on_redis, are_kept_from_those_that_may_not_read_the_folder) {
    auto owner = open("owner:secret");
    auto waiter = open();
    create(owner, "/folder", core::acl_policy::creator_only);
    create(owner, "/folder/a");
    const auto found = remove_and_list(owner, waiter, fetched());
    EXPECT_EQ(found.listing.error, core::server_error::no_auth);
    EXPECT_THAT(found.listing.children, IsEmpty());
    EXPECT_EQ(found.scripts, 3);
}

}  // namespace
}  // namespace turnstile::tests
