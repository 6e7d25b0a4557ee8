// SPDX-License-Identifier: Apache-2.0
// Tests how a session with the C client ends, and what it needs to start.
#include <dlfcn.h>
#include <malloc.h>
#include <netdb.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

#include "zookeeper_session_fixture.hpp"

namespace {
std::atomic<int> resolutions{0};
}

// Replaces the C library's function, to count the C client's resolutions of host names.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** out) {
    using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    ++resolutions;
    return real(node, service, hints, out);
}

namespace turnstile::tests::zookeeper_seam {
namespace {

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
    EXPECT_EQ(me.ask(create_op{path()}).outcome, outcome::not_sent) << "as create2";
    me.attached(2);  // this server closes the connection after it answers
    const reply answer = me.ask(create_op{path()});
    EXPECT_EQ(answer.error, server_error::ok);
    EXPECT_EQ(answer.path, path());
    EXPECT_GT(answer.stat.czxid, 0);
    const reply container = me.ask(create_op{path(), "", create_mode::container});
    EXPECT_EQ(container.outcome, outcome::answered);
    EXPECT_EQ(container.error, server_error::unimplemented);
    me.attached(3);
    // The server keeps this watch, but no caller wants its event, and the client does not set it again on a new
    // connection.
    me.ask(get_op{path(), watch_mode::watch});
    me.session().forget_watches(path());
    me.ask(remove_op{path()});
    me.ask(exists_op{"/"});
    EXPECT_EQ(proxy_.requests(opcode::remove_watches), 0U);
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
    EXPECT_EQ(me.ask(exists_op{"/"}).outcome, outcome::not_sent);
    session_recorder next{proxy_.address()};
    EXPECT_NE(next.attached().session_id, attached.session_id);
    EXPECT_EQ(next.ask(exists_op{path()}).error, server_error::no_node);
}

TEST_F(zookeeper_session, requests_of_a_session_that_ends_are_unknown) {
    session_recorder me{proxy_.address()};
    me.attached();
    hold_replies(opcode::exists);
    const ticket ticket = me.submit(exists_op{"/"});
    EXPECT_TRUE(eventually([&] { return proxy_.held() > 0; }));
    const session_identity mine = me.session().identity();
    testing::close_session(servers().connect_string(), mine.id,
                           {mine.password.data(), mine.password.size()});
    EXPECT_EQ(me.wait(ticket).outcome, outcome::unknown);
    me.link(link_kind::expired);
}

TEST_F(zookeeper_session, refused_credentials_end_it) {
    proxy_.filter(direction::to_server, [](frame& f) {
        if (f.is(frame_kind::request, opcode::auth)) {
            std::vector<std::byte> body{f.body().begin(), f.body().end()};
            const std::string scheme{"digest"};
            const auto* bytes = reinterpret_cast<const std::byte*>(scheme.data());
            const auto at = std::search(body.begin(), body.end(), bytes, bytes + scheme.size());
            std::fill_n(at, scheme.size(), std::byte{'x'});  // an unknown authentication scheme
            f.rewrite(std::move(body));
        }
        return verdict::forward;
    });
    session_settings settings = recorder_settings();
    settings.credentials = "user:password";
    session_recorder me{proxy_.address(), settings};
    me.link(link_kind::auth_failed);
    EXPECT_EQ(me.ask(exists_op{"/"}).outcome, outcome::not_sent);
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

// Returns the number of allocated bytes; 0 under a sanitizer, which detects leaks itself.
std::size_t allocated() {
    return ::mallinfo2().uordblks;
}

// The C client does not free the completions that are queued when its completion thread ends. So the library must free
// them.
TEST_F(zookeeper_session, what_was_under_way_at_the_end_takes_no_memory) {
    const auto round = [&] {
        session_recorder me{proxy_.address()};
        me.attached();
        proxy_.black_hole();
        for (int i = 0; i < 20'000; ++i) me.submit(exists_op{"/"});
        me.close();
        proxy_.pass();
    };
    round();
    const auto before = allocated();
    for (int i = 0; i != 2; ++i) round();
    EXPECT_LT(allocated(), before + 1'000'000);
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

// Connects without a proxy: a proxy would read the answers that the C client leaves in its socket, so the server would
// see no reset. The session timeout is longer than the test waits.
TEST_F(zookeeper_session, closing_ends_the_session_at_the_server_while_requests_are_in_progress) {
    const ensemble patient{{.max_session_timeout = std::chrono::minutes{10}}};
    for (int round = 0; round != 8; ++round) {
        session_recorder me{patient.connect_string(), patient_settings()};
        const auto session = me.attached().session_id;
        for (int i = 0; i != 200; ++i)
            me.submit(create_op{path(), "", create_mode::ephemeral_sequential});
        me.close();
        ASSERT_TRUE(eventually([&] { return !testing::session_alive(patient, session); }))
            << "in round " << round;
    }
}

TEST_F(zookeeper_session, may_be_closed_before_it_is_connected) {
    proxy_.refuse();
    session_recorder me{proxy_.address()};
    EXPECT_EQ(me.ask(exists_op{"/"}).outcome, outcome::not_sent);
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
    EXPECT_EQ(answer.outcome, outcome::answered);
    EXPECT_EQ(answer.connection, attached.connection);
}

}  // namespace
}  // namespace turnstile::tests::zookeeper_seam
