// SPDX-License-Identifier: Apache-2.0
// Tests the in-memory back end: connect strings, shared trees, broken connections, and the ends of sessions and trees.
// The contract suite tests its answers.
#include "local/coordinator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "local/faults.hpp"
#include "turnstile/error.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace {

using namespace turnstile::core;  // NOLINT(google-build-using-namespace)
using turnstile::local::faults;
using turnstile::local::make_coordinator;
using turnstile::local::traffic;
using turnstile::local::tree;

// Collects the events of a session, for the test to take.
class queue final : public session_sink {
public:
    void deliver(coordinator_event&& event) noexcept override {
        const std::lock_guard held{mutex_};
        delivered_by_ = std::this_thread::get_id();
        events_.push_back(std::move(event));
        changed_.notify_all();
    }
    coordinator_event next() {
        std::unique_lock held{mutex_};
        const turnstile::testing::test_deadline until;
        if (!changed_.wait_until(held, until.at(), [this] { return !events_.empty(); })) {
            throw std::runtime_error{"nothing was delivered"};
        }
        coordinator_event first = std::move(events_.front());
        events_.pop_front();
        return first;
    }
    reply next_reply() { return std::get<reply>(next()); }
    link_event next_link() { return std::get<link_event>(next()); }
    bool empty() {
        const std::lock_guard held{mutex_};
        return events_.empty();
    }
    std::thread::id delivered_by() {
        const std::lock_guard held{mutex_};
        return delivered_by_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<coordinator_event> events_;  // guarded by mutex_
    std::thread::id delivered_by_;          // guarded by mutex_
};

session_settings quiet() {
    session_settings s;
    s.timeout = std::chrono::seconds{10};
    s.detect_role = false;
    return s;
}

class local_coordinator : public ::testing::Test {
protected:
    void SetUp() override { id_ = events_.next_link().session_id; }
    ~local_coordinator() override { session_->close(); }

    void submit(operation op) { session_->submit({ticket{++ticket_}, std::move(op)}); }
    reply ask(operation op) {
        submit(std::move(op));
        return events_.next_reply();
    }

    const std::string name_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::unique_ptr<coordinator> servers_ = make_coordinator("local:" + name_);
    faults faults_{name_};
    queue events_;
    std::unique_ptr<coordinator_session> session_ = servers_->open(quiet(), events_);
    std::int64_t id_ = 0;
    std::uint64_t ticket_ = 0;
};

TEST(local_connect_string, names_a_tree_and_a_chroot) {
    EXPECT_EQ(make_coordinator("local:")->describe(), "local:");
    EXPECT_EQ(make_coordinator("local:name")->describe(), "local:name");
    EXPECT_EQ(make_coordinator("local:name/a/b")->describe(), "local:name/a/b");
    EXPECT_EQ(make_coordinator("local:name/")->describe(), "local:name");
    EXPECT_TRUE(turnstile::local::is_local("local:x"));
    EXPECT_FALSE(turnstile::local::is_local("localhost:2181"));
}

TEST(local_connect_string, breaks_a_rule) {
    for (const char* bad :
         {"localhost:2181", "local", "local:x/a/", "local:x//a", "local:x/../a", "local:/\x1b"}) {
        try {
            static_cast<void>(make_coordinator(bad));
            ADD_FAILURE() << bad;
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), make_error_code(turnstile::errc::bad_connect_string)) << bad;
            EXPECT_EQ(std::string{e.what()}.find('\x1b'), std::string::npos);
        }
    }
}

TEST_F(local_coordinator, attaches_with_what_was_asked_for) {
    queue events;
    session_settings settings = quiet();
    settings.detect_role = true;
    const auto session = servers_->open(settings, events);
    const link_event attached = events.next_link();
    EXPECT_EQ(attached.kind, link_kind::attached);
    EXPECT_EQ(attached.connection, 1U);
    EXPECT_EQ(attached.timeout, settings.timeout);
    EXPECT_EQ(attached.role, turnstile::server_role::standalone);
    EXPECT_EQ(attached.server, "local:" + name_);
    EXPECT_EQ(attached.session_id, session->identity().id);
    const link_event role = events.next_link();
    EXPECT_EQ(role.kind, link_kind::role_known);
    EXPECT_EQ(role.role, turnstile::server_role::standalone);
    EXPECT_EQ(role.connection, 1U);
    session->close();
}

TEST_F(local_coordinator, delivers_on_a_thread_of_its_own) {
    ask(exists_op{"/"});
    EXPECT_NE(events_.delivered_by(), std::this_thread::get_id());
}

TEST_F(local_coordinator, clients_of_one_name_share_a_tree) {
    ask(create_op{"/a"});
    const auto same = make_coordinator("local:" + name_ + "/a");
    queue events;
    auto session = same->open(quiet(), events);
    events.next_link();
    session->submit({ticket{1}, create_op{"/b"}});
    EXPECT_EQ(events.next_reply().error, server_error::ok);
    EXPECT_EQ(ask(exists_op{"/a/b"}).error, server_error::ok);
    session->close();
}

TEST(local_tree_lifetime, a_tree_goes_with_its_last_client) {
    const auto exists_after_create = [] {
        const auto servers = make_coordinator("local:short-lived");
        queue events;
        const auto session = servers->open(quiet(), events);
        events.next_link();
        session->submit({ticket{1}, create_op{"/a"}});
        const reply r = events.next_reply();
        session->close();
        return r.error;
    };
    EXPECT_EQ(exists_after_create(), server_error::ok);
    EXPECT_EQ(exists_after_create(), server_error::ok) << "node_exists if the tree had lived on";
}

// Returns the bytes that the program has allocated; 0 if a sanitizer replaces the allocator.
std::size_t allocated() {
    return ::mallinfo2().uordblks;
}

TEST(local_tree_lifetime, a_name_goes_with_its_tree) {
    constexpr int k_trees = 20'000;
    const auto before = allocated();
    for (int i = 0; i != k_trees; ++i)
        static_cast<void>(make_coordinator("local:short-lived-" + std::to_string(i)));
    EXPECT_LT(allocated(), before + k_trees * 8);
}

TEST(local_tree_lifetime, a_session_keeps_its_tree) {
    auto servers = make_coordinator("local:kept");
    queue events;
    const auto session = servers->open(quiet(), events);
    servers.reset();
    events.next_link();
    session->submit({ticket{1}, create_op{"/a"}});
    EXPECT_EQ(events.next_reply().error, server_error::ok);
    session->close();
}

TEST_F(local_coordinator, a_closed_session_is_silent_and_its_ephemerals_are_gone) {
    queue events;
    const auto session = servers_->open(quiet(), events);
    events.next_link();
    for (std::uint64_t i = 1; i <= 1'000; ++i) {
        session->submit({ticket{i}, create_op{"/e-", "", create_mode::ephemeral_sequential}});
    }
    session->close();
    while (!events.empty()) events.next();
    ask(create_op{"/x"});
    EXPECT_TRUE(events.empty());
    EXPECT_EQ(ask(exists_op{"/"}).stat.num_children, 2) << "zookeeper and x";
}

TEST_F(local_coordinator, a_broken_connection_answers_nothing) {
    faults_.detach(id_);
    EXPECT_EQ(events_.next_link().kind, link_kind::detached);
    EXPECT_EQ(ask(create_op{"/a"}).outcome, outcome::not_sent);
    faults_.attach(id_);
    const link_event again = events_.next_link();
    EXPECT_EQ(again.kind, link_kind::attached);
    EXPECT_EQ(again.session_id, id_);
    EXPECT_EQ(again.connection, 2U);
    const reply r = ask(exists_op{"/a"});
    EXPECT_EQ(r.error, server_error::no_node);
    EXPECT_EQ(r.connection, 2U);
}

TEST_F(local_coordinator, a_lost_request_and_a_lost_reply_look_the_same) {
    faults_.set_traffic(id_, traffic::stalls_before_server);
    submit(create_op{"/lost-request"});
    faults_.detach(id_);
    EXPECT_EQ(events_.next_link().kind, link_kind::detached);
    EXPECT_EQ(events_.next_reply().outcome, outcome::unknown);
    faults_.attach(id_);
    events_.next_link();
    faults_.set_traffic(id_, traffic::stalls_after_server);
    submit(create_op{"/lost-reply"});
    submit(get_op{"/lost-reply"});
    faults_.detach(id_);
    EXPECT_EQ(events_.next_link().kind, link_kind::detached);
    const reply create = events_.next_reply();
    EXPECT_EQ(create.outcome, outcome::unknown);
    EXPECT_EQ(create.connection, 1U + 1U);
    EXPECT_EQ(events_.next_reply().outcome, outcome::unknown);
    faults_.attach(id_);
    events_.next_link();
    EXPECT_EQ(ask(exists_op{"/lost-request"}).error, server_error::no_node);
    EXPECT_EQ(ask(exists_op{"/lost-reply"}).error, server_error::ok);
}

TEST_F(local_coordinator, missed_events_come_after_the_new_connection) {
    for (const char* path : {"/a", "/b"}) {
        ask(create_op{path});
        ask(get_op{path, watch_mode::watch});
    }
    ask(exists_op{"/c", watch_mode::watch});
    faults_.detach(id_);
    events_.next_link();
    faults_.inspect([&](tree& t) {
        const auto other = t.open_session();
        const auto write = [&](const operation& op) { static_cast<void>(t.apply(other, op, 0)); };
        write(remove_op{"/a"});
        write(create_op{"/c"});
    });
    faults_.attach(id_);
    EXPECT_EQ(events_.next_link().kind, link_kind::attached);
    const auto heard = std::get<watch_event>(events_.next());
    EXPECT_EQ(heard, (watch_event{watch_kind::deleted, "/a", 2}));
    EXPECT_EQ(std::get<watch_event>(events_.next()), (watch_event{watch_kind::created, "/c", 2}));
    submit(set_op{"/b"});
    EXPECT_EQ(std::get<watch_event>(events_.next()), (watch_event{watch_kind::changed, "/b", 2}));
    EXPECT_EQ(events_.next_reply().error, server_error::ok);
}

TEST_F(local_coordinator, an_event_that_came_already_does_not_come_again) {
    ask(create_op{"/a"});
    ask(get_op{"/a", watch_mode::watch});
    submit(set_op{"/a"});
    EXPECT_EQ(std::get<watch_event>(events_.next()).kind, watch_kind::changed);
    events_.next_reply();
    faults_.detach(id_);
    faults_.attach(id_);
    EXPECT_EQ(events_.next_link().kind, link_kind::detached);
    EXPECT_EQ(events_.next_link().kind, link_kind::attached);
    EXPECT_EQ(ask(get_op{"/a"}).error, server_error::ok);
    EXPECT_TRUE(events_.empty());
}

TEST_F(local_coordinator, a_forgotten_watch_is_not_set_again) {
    ask(create_op{"/a"});
    ask(get_op{"/a", watch_mode::watch});
    ask(exists_op{"/b", watch_mode::watch});
    session_->forget_watches("/a");
    session_->forget_watches("/b");
    faults_.detach(id_);
    faults_.attach(id_);
    EXPECT_EQ(events_.next_link().kind, link_kind::detached);
    EXPECT_EQ(events_.next_link().kind, link_kind::attached);
    faults_.inspect([](tree& t) { EXPECT_EQ(t.watch_count(), 0U); });
}

TEST_F(local_coordinator, an_expired_session_is_dead) {
    ask(create_op{"/e", "", create_mode::ephemeral});
    faults_.set_traffic(id_, traffic::stalls_before_server);
    submit(create_op{"/late"});
    faults_.expire(id_);
    EXPECT_EQ(events_.next_link().kind, link_kind::detached);
    EXPECT_EQ(events_.next_reply().outcome, outcome::unknown);
    EXPECT_EQ(events_.next_link().kind, link_kind::expired);
    EXPECT_EQ(ask(create_op{"/x"}).error, server_error::session_expired);
    faults_.attach(id_);
    queue events;
    const auto next = servers_->open(quiet(), events);
    EXPECT_NE(events.next_link().session_id, id_);
    next->submit({ticket{1}, exists_op{"/e"}});
    EXPECT_EQ(events.next_reply().error, server_error::no_node);
    next->close();
    EXPECT_TRUE(events_.empty());
}

TEST_F(local_coordinator, a_refused_session_attaches_when_it_may) {
    faults_.refuse_connections();
    queue events;
    const auto session = servers_->open(quiet(), events);
    session->submit({ticket{1}, exists_op{"/"}});
    EXPECT_EQ(events.next_reply().outcome, outcome::not_sent);
    EXPECT_EQ(session->identity().id, 0);
    faults_.allow_connections();
    EXPECT_EQ(events.next_link().kind, link_kind::attached);
    queue never;
    faults_.refuse_connections();
    servers_->open(quiet(), never)->close();
    EXPECT_TRUE(never.empty());
    session->close();
}

TEST_F(local_coordinator, old_servers_can_be_played) {
    faults_.set_traits({.has_containers = false});
    EXPECT_EQ(ask(create_op{"/c", "", create_mode::container}).error, server_error::unimplemented);
}

// Runs `in_child` in a forked child. Returns true if `in_child` returned true in time.
template <class Function>
bool succeeds_in_child(Function&& in_child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::alarm(static_cast<unsigned>(turnstile::testing::limit().count() / 1000));
        ::_exit(in_child() ? 0 : 1);
    }
    int status = 0;
    return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(local_coordinator, a_forked_child_can_let_go_of_it) {
    ask(exists_op{"/"});
    EXPECT_TRUE(succeeds_in_child([&] {
        session_->submit({ticket{99}, exists_op{"/"}});
        session_->close();
        session_.reset();
        servers_.reset();
        return true;
    }));
    EXPECT_EQ(ask(exists_op{"/"}).error, server_error::ok) << "the parent goes on";
}

TEST_F(local_coordinator, a_forked_child_has_trees_of_its_own) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer allows no threads in the child of a program with threads";
#endif
    ask(create_op{"/parent"});
    EXPECT_TRUE(succeeds_in_child([&] {
        const auto servers = make_coordinator("local:" + name_);
        queue events;
        const auto session = servers->open(quiet(), events);
        events.next_link();
        session->submit({ticket{1}, exists_op{"/parent"}});
        const bool own = events.next_reply().error == server_error::no_node;
        session->close();
        return own;
    }));
}

TEST_F(local_coordinator, many_threads_may_ask) {
    constexpr int k_threads = 8;
    constexpr int k_each = 200;
    std::vector<std::thread> threads;
    for (int i = 0; i < k_threads; ++i) {
        threads.emplace_back([this] {
            queue events;
            const auto session = servers_->open(quiet(), events);
            for (std::uint64_t n = 1; n <= k_each; ++n) {
                session->submit(
                    {ticket{n}, create_op{"/x-", "", create_mode::persistent_sequential}});
                session->forget_watches("/");
            }
            events.next_link();
            for (std::uint64_t n = 1; n <= k_each; ++n)
                EXPECT_EQ(events.next_reply().id, ticket{n});
            session->close();
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(ask(exists_op{"/"}).stat.num_children, 1 + k_threads * k_each);
}

}  // namespace
