// What a session through the C client does when the network or the server does not. What it does
// when they do is the contract suite's (tests/contract).
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <string>

#include "session_recorder.hpp"
#include "turnstile/error.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/session_fault.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace {
std::atomic<int> resolutions{0};
}

// Stands before the C library's, to count the C client's resolutions.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** out) {
    using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    ++resolutions;
    return real(node, service, hints, out);
}

namespace turnstile::tests {
namespace {

using namespace core;
using testing::direction;
using ::testing::ElementsAre;
using testing::ensemble;
using testing::eventually;
using testing::frame;
using testing::frame_kind;
using ::testing::IsEmpty;
using testing::tcp_proxy;
using testing::verdict;
namespace opcode = testing::opcode;

ensemble& servers() {
    static ensemble one;
    return one;
}

class zookeeper_session : public ::testing::Test {
protected:
    // A top node of this test's own.
    [[nodiscard]] static std::string path() {
        return std::string{"/"} + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    }
    [[nodiscard]] static std::int64_t server_watches() {
        return servers().counters(0).at("watch_count");
    }
    // Cuts the connection instead of letting the next reply of that type through.
    void lose_reply(std::int32_t op) {
        proxy_.filter(direction::to_client, [op](frame& f) {
            return f.is(frame_kind::reply, op) ? verdict::cut_connection : verdict::forward;
        });
    }
    void hold_replies(std::int32_t op) {
        proxy_.filter(direction::to_client, [op](frame& f) {
            return f.is(frame_kind::reply, op) ? verdict::hold : verdict::forward;
        });
    }
    void lose_nothing() { proxy_.filter(direction::to_client, {}); }

    tcp_proxy proxy_{servers().connect_string(0)};
};

TEST_F(zookeeper_session, a_reconnect_keeps_the_session_and_counts_the_connection) {
    session_recorder me{proxy_.address()};
    const link_event first = me.attached();
    EXPECT_EQ(first.connection, 1U);
    EXPECT_NE(first.session_id, 0);
    EXPECT_EQ(first.timeout, std::chrono::seconds{10});
    EXPECT_EQ(first.server, proxy_.address());
    EXPECT_EQ(me.session().identity().id, first.session_id);
    EXPECT_EQ(me.ask(exists_op{"/"}).connection, 1U);

    proxy_.cut();
    const link_event second = me.attached(2);
    EXPECT_EQ(second.connection, 2U);
    EXPECT_EQ(second.session_id, first.session_id);
    EXPECT_EQ(me.ask(exists_op{"/"}).connection, 2U);

    std::vector<link_kind> kinds;
    for (const auto& e : me.heard<link_event>()) kinds.push_back(e.kind);
    EXPECT_THAT(kinds, ElementsAre(link_kind::attached, link_kind::detached, link_kind::attached));
}

TEST_F(zookeeper_session, a_lost_reply_is_unknown_and_carries_the_connection_that_lost_it) {
    session_recorder me{proxy_.address()};
    me.attached();
    lose_reply(opcode::create2);
    const auto before = boottime_clock::now();
    const reply lost = me.ask(create_op{path()});
    EXPECT_EQ(lost.what, outcome::unknown);
    EXPECT_EQ(lost.connection, 1U);
    EXPECT_GE(lost.sent, before);
    lose_nothing();
    me.attached(2);
    EXPECT_EQ(me.ask(create_op{path()}).error, server_error::node_exists);
}

TEST_F(zookeeper_session, all_that_is_under_way_is_unknown_after_the_detach_and_in_order) {
    session_recorder me{proxy_.address()};
    me.attached();
    hold_replies(opcode::exists);
    std::vector<ticket> asked;
    for (int i = 0; i < 100; ++i) asked.push_back(me.submit(exists_op{"/"}));
    // Refused on the spot, but not before what was asked earlier.
    asked.push_back(me.submit(get_op{"no slash"}));
    asked.push_back(me.submit(exists_op{"/"}));
    EXPECT_TRUE(eventually([&] { return proxy_.held() > 0; }));
    EXPECT_THAT(me.heard<reply>(), IsEmpty());
    proxy_.cut();
    me.wait(asked.back());

    std::vector<ticket> answered;
    bool detached = false;
    for (const auto& event : me.heard()) {
        if (const auto* link = std::get_if<link_event>(&event)) {
            detached = detached || link->kind == link_kind::detached;
        } else if (const auto* r = std::get_if<reply>(&event)) {
            EXPECT_TRUE(detached);
            answered.push_back(r->id);
            const bool refused = r->id == asked[100];
            EXPECT_EQ(r->what, refused ? outcome::answered : outcome::unknown);
            EXPECT_EQ(r->error, refused ? server_error::bad_arguments : server_error::ok);
        }
    }
    EXPECT_EQ(answered, asked);
}

TEST_F(zookeeper_session, nothing_is_sent_while_it_is_detached) {
    session_recorder me{proxy_.address()};
    me.attached();
    proxy_.refuse();
    me.link(link_kind::detached);
    const ticket first = me.submit(create_op{path()});
    const ticket second = me.submit(get_op{path(), watch_mode::watch});
    EXPECT_EQ(me.wait(second).what, outcome::not_sent);
    EXPECT_EQ(me.wait(first).what, outcome::not_sent);
    std::vector<ticket> answered;
    for (const auto& r : me.heard<reply>()) answered.push_back(r.id);
    EXPECT_THAT(answered, ElementsAre(first, second));
    proxy_.accept();
    me.attached(2);
    EXPECT_EQ(me.ask(exists_op{path()}).error, server_error::no_node);
}

TEST_F(zookeeper_session, watch_events_carry_the_connection_on_which_they_arrived) {
    session_recorder me{proxy_.address()};
    session_recorder other{servers().connect_string()};
    me.attached();
    me.ask(create_op{path()});
    me.ask(get_op{path(), watch_mode::watch});
    proxy_.refuse();
    me.link(link_kind::detached);
    other.attached();
    other.ask(remove_op{path()});
    proxy_.accept();
    const watch_event missed = me.watch(path());
    EXPECT_EQ(missed.kind, watch_kind::deleted);
    EXPECT_EQ(missed.connection, 2U);
}

TEST_F(zookeeper_session, a_forgotten_watch_is_gone_here_and_at_the_server) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    const auto before = server_watches();
    me.ask(get_op{path(), watch_mode::watch});
    EXPECT_EQ(server_watches(), before + 1);
    me.session().forget_watches(path());
    me.ask(exists_op{"/"});
    EXPECT_EQ(server_watches(), before);
    // Nor does the C client set it again.
    proxy_.reset_counters();
    proxy_.cut();
    me.attached(2);
    me.ask(exists_op{"/"});
    EXPECT_EQ(proxy_.requests(opcode::set_watches) + proxy_.requests(opcode::set_watches2), 0U);
    EXPECT_EQ(server_watches(), before);
}

TEST_F(zookeeper_session, a_watch_may_be_forgotten_before_it_is_set) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    const auto before = server_watches();
    hold_replies(opcode::get_data);
    const ticket got = me.submit(get_op{path(), watch_mode::watch});
    const ticket missed = me.submit(exists_op{path() + "/x", watch_mode::watch});
    me.session().forget_watches(path());
    me.session().forget_watches(path() + "/x");
    EXPECT_TRUE(eventually([&] { return server_watches() == before + 2; }));
    lose_nothing();
    proxy_.release_held();
    EXPECT_EQ(me.wait(got).error, server_error::ok);
    EXPECT_EQ(me.wait(missed).error, server_error::no_node);
    me.ask(exists_op{"/"});
    EXPECT_EQ(server_watches(), before);
}

TEST_F(zookeeper_session, a_watch_that_is_asked_for_again_stays) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    hold_replies(opcode::get_data);
    me.submit(get_op{path(), watch_mode::watch});
    me.session().forget_watches(path());
    const ticket again = me.submit(get_op{path(), watch_mode::watch});
    lose_nothing();
    proxy_.release_held();
    me.wait(again);
    me.ask(set_op{path(), "x"});
    EXPECT_EQ(me.watch(path()).kind, watch_kind::changed);
}

TEST_F(zookeeper_session, a_watch_whose_removal_was_lost_is_removed_after_the_reconnect) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    const auto before = server_watches();
    me.ask(get_op{path(), watch_mode::watch});
    proxy_.filter(direction::to_server, [](frame& f) {
        return f.is(frame_kind::request, opcode::remove_watches) ? verdict::cut_connection
                                                                 : verdict::forward;
    });
    me.session().forget_watches(path());
    me.link(link_kind::detached);
    proxy_.filter(direction::to_server, {});
    me.attached(2);
    me.ask(exists_op{"/"});
    EXPECT_EQ(server_watches(), before);
}

TEST_F(zookeeper_session, a_watch_that_is_forgotten_while_detached_is_removed_after_the_reconnect) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    const auto before = server_watches();
    me.ask(get_op{path(), watch_mode::watch});
    proxy_.refuse();
    me.link(link_kind::detached);
    me.session().forget_watches(path());
    proxy_.accept();
    me.attached(2);
    me.ask(exists_op{"/"});
    EXPECT_EQ(server_watches(), before);
}

TEST_F(zookeeper_session, a_server_that_lacks_a_request_says_so) {
    proxy_.filter(direction::to_server, [](frame& f) {
        if (f.is(frame_kind::request, opcode::create2) ||
            f.is(frame_kind::request, opcode::create_container) ||
            f.is(frame_kind::request, opcode::remove_watches)) {
            f.rewrite_opcode(opcode::unknown);
        }
        return verdict::forward;
    });
    session_recorder me{proxy_.address()};
    me.attached();
    const reply made = me.ask(create_op{path()});
    EXPECT_EQ(made.what, outcome::answered);
    EXPECT_EQ(made.error, server_error::unimplemented);
    me.attached(2);  // such a server closes the connection after its answer
    const reply container = me.ask(create_op{path(), "", create_mode::container});
    EXPECT_EQ(container.what, outcome::answered);
    EXPECT_EQ(container.error, server_error::unimplemented);
    me.attached(3);
    // The server keeps the watch, but nobody hears of it, and the client does not set it again.
    me.ask(multi_op{{create_op{path()}}});
    me.ask(get_op{path(), watch_mode::watch});
    me.session().forget_watches(path());
    me.attached(4);
    me.ask(remove_op{path()});
    me.ask(exists_op{"/"});
    EXPECT_THAT(me.heard<watch_event>(), IsEmpty());
    EXPECT_EQ(proxy_.requests(opcode::set_watches) + proxy_.requests(opcode::set_watches2), 0U);
}

TEST_F(zookeeper_session, an_expired_session_is_dead) {
    session_recorder me{proxy_.address()};
    const link_event attached = me.attached();
    me.ask(create_op{path(), "", create_mode::ephemeral});
    proxy_.refuse();
    me.link(link_kind::detached);
    const session_identity mine = me.session().identity();
    testing::close_session(servers().connect_string(), mine.id,
                           {mine.password.data(), mine.password.size()});
    proxy_.accept();
    EXPECT_EQ(me.link(link_kind::expired).session_id, attached.session_id);
    EXPECT_EQ(me.ask(exists_op{"/"}).what, outcome::not_sent);
    session_recorder next{proxy_.address()};
    EXPECT_NE(next.attached().session_id, attached.session_id);
    EXPECT_EQ(next.ask(exists_op{path()}).error, server_error::no_node);
}

TEST_F(zookeeper_session, requests_of_a_session_that_ends_are_unknown) {
    session_recorder me{proxy_.address()};
    me.attached();
    hold_replies(opcode::exists);
    const ticket asked = me.submit(exists_op{"/"});
    EXPECT_TRUE(eventually([&] { return proxy_.held() > 0; }));
    const session_identity mine = me.session().identity();
    testing::close_session(servers().connect_string(), mine.id,
                           {mine.password.data(), mine.password.size()});
    EXPECT_EQ(me.wait(asked).what, outcome::unknown);
    me.link(link_kind::expired);
}

TEST_F(zookeeper_session, refused_credentials_end_it) {
    proxy_.filter(direction::to_server, [](frame& f) {
        if (f.is(frame_kind::request, opcode::auth)) {
            std::vector<std::byte> body{f.body().begin(), f.body().end()};
            const std::string scheme{"digest"};
            const auto* bytes = reinterpret_cast<const std::byte*>(scheme.data());
            const auto at = std::search(body.begin(), body.end(), bytes, bytes + scheme.size());
            std::fill_n(at, scheme.size(), std::byte{'x'});  // which no server knows
            f.rewrite(std::move(body));
        }
        return verdict::forward;
    });
    session_settings settings = recorder_settings();
    settings.credentials = "user:password";
    session_recorder me{proxy_.address(), settings};
    me.link(link_kind::auth_failed);
    EXPECT_EQ(me.ask(exists_op{"/"}).what, outcome::not_sent);
}

TEST_F(zookeeper_session, credentials_are_there_before_the_first_request) {
    session_settings settings = recorder_settings();
    settings.credentials = "user:password";
    for (int i = 0; i < 20; ++i) {
        session_recorder me{proxy_.address(), settings};
        me.attached();
        const create_op mine{path() + std::to_string(i), "", create_mode::ephemeral,
                             acl_policy::creator_only};
        EXPECT_EQ(me.ask(mine).error, server_error::ok);
    }
}

TEST_F(zookeeper_session, tells_the_role_of_its_server) {
    session_settings settings = recorder_settings();
    settings.detect_role = true;
    session_recorder me{proxy_.address(), settings};
    EXPECT_EQ(me.link(link_kind::role_known, 1).role, server_role::standalone);
    proxy_.cut();
    const link_event again = me.link(link_kind::role_known, 2);
    EXPECT_EQ(again.role, server_role::standalone);
    EXPECT_EQ(again.connection, 2U);
}

TEST_F(zookeeper_session, closing_leaves_nothing_of_what_is_under_way) {
    session_recorder me{proxy_.address()};
    me.attached();
    proxy_.black_hole();
    multi_op several{{check_op{"/"}, create_op{path()}, set_op{"/", "x"}}};
    for (int i = 0; i < 20'000; ++i) {
        if (i % 2 == 0) {
            me.submit(several);
        } else {
            me.submit(get_op{path() + std::to_string(i), watch_mode::watch});
        }
    }
    me.close();
    const std::size_t heard = me.heard().size();
    me.submit(exists_op{"/"});
    me.session().forget_watches("/");
    proxy_.pass();
    EXPECT_EQ(me.heard().size(), heard);
}

TEST_F(zookeeper_session, closing_ends_the_session_at_the_server) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path(), "", create_mode::ephemeral});
    me.close();
    session_recorder other{servers().connect_string()};
    other.attached();
    EXPECT_EQ(other.ask(exists_op{path()}).error, server_error::no_node);
}

TEST_F(zookeeper_session, may_be_closed_before_it_is_connected) {
    proxy_.refuse();
    session_recorder me{proxy_.address()};
    EXPECT_EQ(me.ask(exists_op{"/"}).what, outcome::not_sent);
    me.close();
    EXPECT_THAT(me.heard<link_event>(), IsEmpty());
}

TEST_F(zookeeper_session, names_are_resolved_when_it_connects_and_not_at_each_request) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(exists_op{"/"});
    const int before = resolutions;
    for (int i = 0; i < 100; ++i) me.ask(exists_op{"/"});
    EXPECT_EQ(resolutions, before);
    proxy_.cut();
    me.attached(2);
    EXPECT_GT(resolutions, before);
}

TEST_F(zookeeper_session, one_name_that_resolves_is_enough) {
    session_recorder me{"nowhere.invalid:2181," + proxy_.address()};
    me.attached();
    try {
        const session_recorder none{"nowhere.invalid:2181"};
        FAIL() << "resolved";
    } catch (const std::system_error& thrown) {
        EXPECT_EQ(thrown.code(), errc::unresolvable);
        EXPECT_NE(std::string{thrown.what()}.find("nowhere.invalid:2181"), std::string::npos);
    }
}

TEST_F(zookeeper_session, a_forked_child_leaves_it_alone) {
    session_recorder me{proxy_.address()};
    const link_event attached = me.attached();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        me.submit(exists_op{"/"});
        me.close();
        me.destroy_session();
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const reply answer = me.ask(exists_op{"/"});
    EXPECT_EQ(answer.what, outcome::answered);
    EXPECT_EQ(answer.connection, attached.connection);
}

}  // namespace
}  // namespace turnstile::tests
