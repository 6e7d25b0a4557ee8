// SPDX-License-Identifier: Apache-2.0
// Runs the examples in the comments of the public headers about clients, elections, job_gate, rate_gate, and operators'
// tools (turnstile/tools).
#include <gmock/gmock.h>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "headers/reader.hpp"
#include "turnstile/file_health.hpp"
#include "turnstile/node.hpp"
#include "turnstile/tools/connect_string.hpp"
#include "turnstile/tools/make_folder.hpp"
#include "turnstile/tools/modules.hpp"
#include "turnstile/tools/odd_znodes.hpp"
#include "turnstile/tools/path.hpp"
#include "turnstile/tools/path_trial.hpp"
#include "turnstile/tools/rolling_survey.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using testing::limit;

// ---- examples about clients, which need no server here -----------------------------------------

TEST(header_examples, client) {
#include "examples/client.inc"
    EXPECT_EQ(orders.path(), "/locks/orders");
}

TEST(header_examples, client_options) {
#include "examples/client_options.inc"
    EXPECT_EQ(servers.session_count(), 1U);
}

TEST(header_examples, metrics) {
#include "examples/metrics.inc"
    mutex{servers, "/orders/17"}.acquire().value().unlock();
    EXPECT_EQ(numbers.snapshot().locks.front().granted, 1U);
    EXPECT_THAT(page, ::testing::HasSubstr("turnstile_lock_held{lock=\"/orders/{}\"} 0\n"));
}

TEST(header_examples, metric_family) {
    const auto numbers = metrics::start();
#include "examples/metric_family.inc"
    EXPECT_THAT(body, ::testing::HasSubstr("\nturnstile_outages_total 0\n"));
    EXPECT_THAT(body, ::testing::HasSubstr("\nshop_orders_total 17\n"));
}

TEST(header_examples, runtime) {
#include "examples/runtime.inc"
    EXPECT_EQ(orders.session_count() + stock.session_count(), 2U);
}

TEST(header_examples, guardian) {
    const auto make = [] {
#include "examples/guardian.inc"
    };
    // The library is not installed here, so there is no guardian program to start.
    try {
        make();
    } catch (const std::system_error& failure) {
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("guardian"));
    }
}

TEST(header_examples, promises) {
    const std::string connect_string = "zk1:2181,zk2:2181,zk3:2181";
    reader warn_the_operator;
#include "examples/promises.inc"
    EXPECT_EQ(warn_the_operator.calls(), 0);
}

TEST(header_examples, server_health) {
    reader print;
    try {
#include "examples/server_health.inc"
    } catch (const std::system_error& failure) {
        EXPECT_EQ(failure.code(), errc::unresolvable);
    }
}

TEST(header_examples, file_health) {
    reader print;
#include "examples/file_health.inc"
    EXPECT_EQ(print.calls(), 1) << "the folder is not there";
}

// ---- examples about elections, job_gate and rate_gate -----------------------------------------

TEST(header_examples, leader) {
    client servers{own_tree()};
    reader schedule;
#include "examples/leader.inc"
    EXPECT_EQ(schedule.calls(), 1);
}

TEST(header_examples, leader_with_a_function) {
    client servers{own_tree()};
    static std::atomic<int> left{3};
    static const auto more_work = [] { return left-- > 0; };
    static reader do_some;
#include "examples/leader-2.inc"
    EXPECT_TRUE(eventually([&] { return do_some.calls() >= 3; }));
    reports.close();
}

TEST(header_examples, leader_watch) {
    client servers{own_tree()};
    static reader connect_to;
#include "examples/leader_watch.inc"
    EXPECT_TRUE(eventually([&] { return connect_to.calls() == 1; }));
}

TEST(header_examples, job_gate) {
    client servers{own_tree()};
    static reader send_invoices;
    reader log;
    for (int turn = 0; turn < 2; ++turn) {
#include "examples/job_gate.inc"
        EXPECT_TRUE(report);
    }
    EXPECT_EQ(send_invoices.calls(), 1);
    EXPECT_EQ(log.calls(), 1);
}

TEST(header_examples, rate_gate) {
    client servers{own_tree()};
    reader call_partner;
#include "examples/rate_gate.inc"
    EXPECT_EQ(call_partner.calls(), 1);
}

// ---- examples about tools for operators -------------------------------------------------------

// ann has lock a and waits for b, bob has b and waits for a. The detector reports the cycle, and ann gives up.
TEST(header_examples, deadlock_detector) {
    client servers{own_tree()};
    turnstile::mutex a{servers, "/locks/a"};
    turnstile::mutex b{servers, "/locks/b"};
    guard of_ann = a.acquire({.owner = "ann"}).value();
    const guard of_bob = b.acquire({.owner = "bob"}).value();
    std::stop_source gives_up;
    event queued;
    event over;
    const auto is_queued = [&](std::size_t) { queued.set(); };
    b.async_acquire({.stop = gives_up.get_token(), .on_queued = is_queued, .owner = "ann"},
                    [&](const result<guard>& hold) {
                        EXPECT_EQ(hold.error(), errc::cancelled);
                        of_ann.unlock();
                        over.set();
                    });
    ASSERT_TRUE(queued.wait());
    a.async_acquire({.on_queued = is_queued, .owner = "bob"}, [&](const result<guard>& hold) {
        EXPECT_TRUE(hold);
        over.set();
    });
    ASSERT_TRUE(queued.wait(2));
    std::string told;
    const auto log = [&](const std::string& text) {
        told = text;
        gives_up.request_stop();
    };
#include "examples/deadlock_detector.inc"
    EXPECT_THAT(told, ::testing::HasSubstr("waits for /locks/b"));
    EXPECT_TRUE(hold);
    EXPECT_TRUE(over.wait(2));
}

TEST(header_examples, revocation) {
    const auto tree = own_tree();
    client servers{tree};
    client others{tree, {.session_timeout = 2s}};
    turnstile::mutex lock{servers, "/locks/orders"};
    turnstile::mutex theirs{others, "/locks/orders"};
    event asked;
    const auto hold =
        theirs.acquire({.on_asked_to_release = [&](const auto&) { asked.set(); }}).value();
    const auto is_held_after = [&](std::chrono::seconds) {
        return asked.wait() && lock.is_locked().value();
    };
#include "examples/revocation.inc"
    EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
    others.close();
}

// ---- examples about queries ---------------------------------------------------------------------

class busy_tree {
public:
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    guard hold = orders.acquire().value();
    busy_tree() {
        hold.commit(transaction{}.create("/locks/orders/notes", "not a contender")).value();
        hold.commit(transaction{}.create("/locks/shop", "")).value();
    }
};

TEST(header_examples, lock_survey) {
    busy_tree tree;
    auto& servers = tree.servers;
    reader print;
#include "examples/lock_survey.inc"
    EXPECT_EQ(print.calls(), 1);
}

TEST(header_examples, make_folder) {
    busy_tree tree;
    auto& servers = tree.servers;
#include "examples/tools/make_folder.inc"
    EXPECT_EQ(read_node(servers, "/shop/locks").value().data, "");
}

TEST(header_examples, modules) {
    reader print;
#include "examples/tools/modules.inc"
    EXPECT_EQ(print.calls(), 0) << "the modules are linked into this program";
}

TEST(header_examples, connect_string) {
    reader print;
#include "examples/tools/connect_string.inc"
    EXPECT_EQ(print.calls(), 1);
}

TEST(header_examples, path) {
    reader print;
#include "examples/tools/path.inc"
    EXPECT_EQ(print.calls(), 2);
}

TEST(header_examples, rolling_survey) {
    busy_tree tree;
    auto& servers = tree.servers;
    std::stop_source shutdown;
    reader show;
    const auto wait_a_second = [&shutdown] { shutdown.request_stop(); };
#include "examples/tools/rolling_survey.inc"
    EXPECT_EQ(show.calls(), 1);
}

TEST(header_examples, odd_znodes) {
    busy_tree tree;
    auto& servers = tree.servers;
    reader print;
#include "examples/tools/odd_znodes.inc"
    EXPECT_GE(print.calls(), 1);
}

TEST(header_examples, path_trial) {
    busy_tree tree;
    auto& servers = tree.servers;
    reader print;
#include "examples/tools/path_trial.inc"
    EXPECT_EQ(print.calls(), 0);
}

}  // namespace
}  // namespace turnstile::tests
