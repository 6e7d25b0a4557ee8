// SPDX-License-Identifier: Apache-2.0
// Tests services in virtual time: what a run offers them, and how it reports wrong code.
#include "turnstile/testing/deterministic_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "turnstile/turnstile.hpp"

namespace turnstile {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::require;
using testing::run_deterministically;
using testing::run_report;
using testing::simulated_world;

constexpr const char* k_servers = "zk1:2181,zk2:2181/app";

run_report play(const std::function<void(simulated_world&)>& test, std::uint64_t seed = 1) {
    return run_deterministically({.seed = seed, .servers = 3, .story = testing::story_policy::keep},
                                 test, {.patience = 20s});
}

TEST(deterministic_run, a_service_blocks_and_sleeps_for_an_hour) {
    const auto report = play([](simulated_world& world) {
        int inside = 0;
        int entries = 0;
        const auto work = [&] {
            client servers{k_servers};
            mutex lock{servers, "/locks/orders"};
            for (int i = 0; i != 20; ++i) {
                const auto hold = lock.acquire();
                require(hold.has_value(), "no grant");
                require(++inside == 1, "two inside");
                ++entries;
                std::this_thread::sleep_for(1min);
                --inside;
            }
        };
        const auto ann = world.start("ann", work);
        const auto bob = world.start("bob", work);
        world.await(ann);
        world.await(bob);
        require(entries == 40, "not all entries");
        require(!world.runs(ann), "ann is over, and runs");
    });
    EXPECT_TRUE(report.passed) << report.text();
    // The 40 sleeps take 40 minutes by the clocks of the processes, which may be fast. So the true time may be less.
    EXPECT_GT(report.virtual_time, 39min);
}

TEST(deterministic_run, equal_seeds_are_equal_runs) {
    const auto run = [](std::uint64_t seed) {
        return play(
            [](simulated_world& world) {
                for (const auto* name : {"ann", "bob"})
                    world.start(name, [] {
                        client servers{k_servers};
                        mutex lock{servers, "/a"};
                        for (;;) (void)lock.acquire({.timeout = 1s});
                    });
                std::this_thread::sleep_for(5s);
                // These threads end in the middle of their work.
                for (int i = 0; i != 5; ++i) {
                    const auto cyd = world.start("cyd", [] {
                        client servers{k_servers};
                        mutex lock{servers, "/a"};
                        std::thread other{[&] { (void)lock.acquire({.timeout = 2s}); }};
                        (void)lock.acquire({.timeout = 1s});
                        other.join();
                        std::this_thread::sleep_for(1h);
                    });
                    std::this_thread::sleep_for(3s);
                    world.kill(cyd);
                }
            },
            seed);
    };
    const auto first = run(7);
    ASSERT_TRUE(first.passed) << first.text();
    for (int i = 0; i != 3; ++i) {
        const auto again = run(7);
        EXPECT_EQ(again.fingerprint, first.fingerprint);
        EXPECT_EQ(again.steps, first.steps);
    }
    EXPECT_NE(run(8).fingerprint, first.fingerprint);
}

// ---- ends of processes -------------------------------------------------------------------------

TEST(deterministic_run, a_holder_that_is_stopped_learns_of_its_loss) {
    const auto report = play([](simulated_world& world) {
        std::string story;
        const auto ann = world.start("ann", [&] {
            client servers{k_servers};
            mutex lock{servers, "/a"};
            auto hold = lock.acquire({.on_lost = [&](const error&) { story += "ann is told; "; }});
            story += "ann; ";
            while (!hold->lost().stop_requested()) std::this_thread::sleep_for(100ms);
            require(!hold->valid(), "lost, and valid");
            story += "ann knows; ";
            std::this_thread::sleep_for(1h);
        });
        world.start("bob", [&] {
            std::this_thread::sleep_for(1s);
            client servers{k_servers};
            mutex lock{servers, "/a"};
            const auto hold = lock.acquire();
            story += "bob; ";
            std::this_thread::sleep_for(1h);
        });
        std::this_thread::sleep_for(5s);
        require(story == "ann; ", story);
        world.pause(ann, 30s);
        std::this_thread::sleep_for(29s);
        require(story == "ann; bob; ", story);
        std::this_thread::sleep_for(5s);
        require(story.starts_with("ann; bob; ann "), story);
        require(story.find("told") != std::string::npos, story);
        require(story.find("knows") != std::string::npos, story);
    });
    EXPECT_TRUE(report.passed) << report.text();
}

TEST(deterministic_run, the_lock_of_a_killed_holder_is_free_when_its_session_is_over) {
    const auto report = play([](simulated_world& world) {
        const auto ann = world.start("ann", [] {
            client servers{k_servers};
            mutex lock{servers, "/a"};
            const auto hold = lock.acquire();
            std::this_thread::sleep_for(24h);
        });
        std::this_thread::sleep_for(5s);
        require(world.children("/app/a").size() == 1, "no contender");
        world.kill(ann);
        require(!world.runs(ann), "killed, and runs");
        world.await(ann);
        const auto bob = world.start("bob", [] {
            client servers{k_servers};
            mutex lock{servers, "/a"};
            const auto began = boottime_clock::now();
            require(lock.acquire().has_value(), "no grant");
            require(boottime_clock::now() - began > 5s, "granted beside a session that lives");
        });
        world.await(bob);
        std::this_thread::sleep_for(20s);
        require(world.children("/app/a").empty(), "a contender is left");
    });
    EXPECT_TRUE(report.passed) << report.text();
}

TEST(deterministic_run, faults_come_where_the_test_asks_for_them) {
    const auto report = play([](simulated_world& world) {
        int losses = 0;
        const auto ann = world.start("ann", [&] {
            client servers{k_servers};
            mutex lock{servers, "/a"};
            for (;;) {
                auto hold = lock.acquire();
                while (hold && hold->valid()) std::this_thread::sleep_for(50ms);
                ++losses;
            }
        });
        std::this_thread::sleep_for(3s);
        world.change_leader();
        std::this_thread::sleep_for(15s);
        world.restart_server();
        world.cut_off_follower();
        world.stall_servers();
        std::this_thread::sleep_for(30s);
        const int before = losses;
        world.cut_off(ann, 40s);
        std::this_thread::sleep_for(60s);
        require(losses == before + 1, "cut off, and holds");
        world.delete_znode("/app/a/" + world.children("/app/a").front());
        std::this_thread::sleep_for(5s);
        require(losses == before + 2, "its znode is gone, and it holds");
    });
    EXPECT_TRUE(report.passed) << report.text();
    EXPECT_THAT(report.story, AllOf(HasSubstr("ann is cut off"), HasSubstr("leads")));
}

TEST(deterministic_run, a_chroot_and_what_is_written) {
    const auto report = play([](simulated_world& world) {
        const auto ann = world.start("ann", [] {
            client servers{k_servers};
            mutex lock{servers, "/a"};
            auto hold = lock.acquire();
            const auto writes = transaction{}.make("/state").put("/state/x", "1");
            require(hold->commit(writes).has_value(), "not written");
            require(read_node(servers, "/state/x")->data == "1", "not read");
        });
        world.await(ann);
        require(world.find("/app/state/x")->data == "1", "not there");
        require(!world.find("/state/x"), "there without the chroot");
        require(world.children("/app/state") == std::vector<std::string>{"x"}, "not a child");
        std::string refused;
        try {
            const client servers{"/app"};
        } catch (const std::system_error& why) {
            refused = why.what();
        }
        require(refused.find("names no server") != std::string::npos, refused);
    });
    EXPECT_TRUE(report.passed) << report.text();
}

TEST(deterministic_run, a_process_may_kill_itself_and_be_started_a_hundred_times) {
    const auto report = play([](simulated_world& world) {
        int starts = 0;
        for (int i = 0; i != 100; ++i) {
            std::optional<testing::simulated_process> own;
            own = world.start("ann", [&] {
                client servers{k_servers};
                mutex lock{servers, "/a"};
                while (!own) std::this_thread::sleep_for(1ms);
                ++starts;
                world.kill(*own);
                require(false, "killed, and goes on");
            });
            world.await(*own);
        }
        require(starts == 100, "not all");
        std::vector<testing::simulated_process> many;
        for (int i = 0; i != 20; ++i)
            many.push_back(world.start("bob", [] {
                client servers{k_servers};
                mutex lock{servers, "/b"};
                require(lock.acquire({.timeout = 10min}).has_value(), "no grant");
            }));
        for (const auto each : many) world.await(each);
    });
    EXPECT_TRUE(report.passed) << report.text();
}

// ---- services with a fault --------------------------------------------------------------------

// The program checks its hold, and writes later without another check.
TEST(deterministic_run, a_write_that_does_not_go_by_its_hold_is_found) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto report = run_deterministically(
            {.seed = seed, .servers = 3, .faults_every = 10s}, [](simulated_world& world) {
                int inside = 0;
                for (const auto* name : {"ann", "bob"})
                    world.start(name, [&] {
                        client servers{k_servers};
                        mutex lock{servers, "/a"};
                        for (;;) {
                            const auto hold = lock.acquire({.timeout = 10s});
                            if (!hold || !hold->valid()) continue;
                            require(++inside == 1, "two write at once");
                            std::this_thread::sleep_for(2s);
                            --inside;
                        }
                    });
                std::this_thread::sleep_for(3min);
            });
        if (!report.passed) {
            EXPECT_EQ(report.failure, "two write at once");
            ++found;
        }
    }
    EXPECT_GT(found, 0);
}

TEST(deterministic_run, the_report_says_what_went_wrong_and_where_threads_stood) {
    EXPECT_THAT(play([](simulated_world& world) {
                    world.await(world.start("ann", [] { throw std::runtime_error{"no stock"}; }));
                }).text(),
                HasSubstr("ann: no stock"));
    EXPECT_THAT(play([](simulated_world&) { throw std::runtime_error{"no test"}; }).failure,
                HasSubstr("no test"));
    EXPECT_THAT(play([](simulated_world&) { ::raise(SIGSEGV); }).failure,
                HasSubstr("ended by signal 11"));
    const auto stuck = play([](simulated_world& world) {
        world.await(world.start("ann", [] {
            std::mutex own;
            own.lock();
            own.lock();
        }));
    });
    EXPECT_THAT(stuck.failure, HasSubstr("not over after 3600 s of virtual time"));
    EXPECT_THAT(stuck.latest, HasSubstr("of ann locks what thread 3 has\n    turnstile::(anonymous "
                                        "namespace)::deterministic_"));
    const auto blocked = run_deterministically({},
                                               [](simulated_world&) {
                                                   int ends[2];
                                                   require(::pipe(ends) == 0, "no pipe");
                                                   char byte = 0;
                                                   (void)!::read(ends[0], &byte, 1);
                                               },
                                               {.patience = 1s});
    EXPECT_THAT(blocked.failure, HasSubstr("not over after 1 s"));
    EXPECT_THAT(play([](simulated_world&) { (void)!::fork(); }).failure,
                HasSubstr("fork() in a run"));
    EXPECT_THAT(play([](simulated_world&) { ::raise(SIGSTOP); }).failure,
                HasSubstr("stopped by signal"));
    EXPECT_THAT(play([](simulated_world&) { require(false, "of the test"); }).latest,
                HasSubstr("has its turn\n"));
}

TEST(deterministic_run, a_failure_of_another_framework_fails_it) {
    const auto run = [](bool failed) {
        return run_deterministically({}, [](simulated_world&) {},
                                     {.has_failed = [failed] { return failed; }});
    };
    EXPECT_EQ(run(true).failure, "the test has failed");
    EXPECT_TRUE(run(false).passed);
}

TEST(deterministic_run, refuses_what_makes_no_sense) {
    const auto refusal = [](const testing::simulation_options& options,
                            const testing::run_limits& limits = {}) -> std::string {
        try {
            (void)run_deterministically(
                options, [](simulated_world&) {}, limits);
        } catch (const std::exception& why) {
            return why.what();
        }
        return {};
    };
    EXPECT_EQ(refusal({.servers = 2}), "deterministic_run: servers 2: must be 1 or 3");
    EXPECT_EQ(refusal({}, {.virtual_time = 0s}),
              "deterministic_run: virtual_time 0 s: must be positive");
    EXPECT_EQ(refusal({}, {.patience = -1s}), "deterministic_run: patience -1 s: must be positive");
    std::thread other;
    std::promise<void> over;
    other = std::thread{[&] { over.get_future().wait(); }};
    EXPECT_THAT(refusal({}), HasSubstr("has 2 threads"));
    over.set_value();
    other.join();
    EXPECT_THROW(require(false, "outside"), std::runtime_error);
}

}  // namespace
}  // namespace turnstile
