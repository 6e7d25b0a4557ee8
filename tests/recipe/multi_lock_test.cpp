// SPDX-License-Identifier: Apache-2.0
// Tests multi_lock over trees in memory: it takes all locks or none, whatever fails in between.
#include <algorithm>
#include <thread>

#include <boost/thread/thread.hpp>

#include "client/support.hpp"
#include "needs_interruption.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

// Two locks of one client on one tree, and a lock of another client on another tree.
class multi_locks : public shell_test {
protected:
    const std::string other_tree = fresh_tree();
    local::faults other_faults{other_tree};
    std::unique_ptr<client> servers = connect();
    std::unique_ptr<client> others = std::make_unique<client>("local:" + other_tree);
    std::unique_ptr<client> strangers = connect();
    std::unique_ptr<client> other_strangers = std::make_unique<client>("local:" + other_tree);
    mutex a{*servers, "/a"};
    mutex b{*servers, "/b"};
    mutex c{*others, "/c"};
    mutex their_a{*strangers, "/a"};
    mutex their_b{*strangers, "/b"};
    mutex their_c{*other_strangers, "/c"};
    multi_lock all{c, a, b};

    [[nodiscard]] static bool becomes_free(const mutex& lock) {
        return eventually([&] { return !lock.is_locked().value(); });
    }
    [[nodiscard]] static bool has_queue(const mutex& lock, std::size_t size) {
        return eventually([&] { return lock.queue().value().size() == size; });
    }
    [[nodiscard]] bool nothing_is_left() const {
        return becomes_free(their_a) && becomes_free(their_b) && becomes_free(their_c);
    }
    // The outcome of a call that a separate thread makes.
    struct outcome {
        event came;
        std::optional<result<guard>> answer;
    };
    static void keep(outcome& here, result<guard>&& hold) {
        here.answer.emplace(std::move(hold));
        here.came.set();
    }
};

TEST_F(multi_locks, takes_all_and_gives_all_back) {
    auto hold = all.acquire();
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->status());
    EXPECT_EQ(hold->path(), "/a, /b, /c");
    EXPECT_EQ(hold->znode(), "");
    EXPECT_EQ(their_a.try_acquire().error(), errc::busy);
    EXPECT_EQ(their_b.try_acquire().error(), errc::busy);
    EXPECT_EQ(their_c.try_acquire().error(), errc::busy);
    EXPECT_TRUE(hold->release());
    EXPECT_FALSE(their_a.is_locked().value() || their_b.is_locked().value() ||
                 their_c.is_locked().value());
}

TEST_F(multi_locks, a_guard_that_goes_gives_all_back) {
    all.acquire().value().unlock();
    EXPECT_TRUE(nothing_is_left());
    { const auto hold = all.acquire().value(); }
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(multi_locks, the_order_is_that_of_the_paths_and_not_the_callers) {
    const multi_lock backwards{b, c, a};
    ASSERT_EQ(backwards.locks().size(), 3U);
    for (std::size_t i = 0; i != 3; ++i) {
        EXPECT_EQ(backwards.locks()[i].path(), all.locks()[i].path());
        EXPECT_EQ(all.locks()[i].path(), (std::vector{"/a", "/b", "/c"})[i]);
    }
}

TEST_F(multi_locks, tokens_are_those_of_the_parts_and_grow) {
    auto first = all.acquire().value();
    const auto tokens = first.fencing_tokens();
    ASSERT_EQ(tokens.size(), 3U);
    EXPECT_EQ(*tokens.find(where + "/a"), their_a.holder().value()->token);
    EXPECT_EQ(*tokens.find("local:" + other_tree + "/c"), first.fencing_token());
    ASSERT_TRUE(first.release());
    auto second = all.acquire().value();
    EXPECT_GT(second.fencing_token(), *tokens.find("local:" + other_tree + "/c"));
    EXPECT_TRUE(tokens.is_behind(second.fencing_tokens()));
    EXPECT_FALSE(second.fencing_tokens().is_behind(tokens));
}

TEST_F(multi_locks, F15_what_times_out_leaves_nothing_and_names_the_lock) {
    const auto theirs = their_b.acquire().value();
    const auto refused = all.acquire({.timeout = 20ms});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::timeout);
    EXPECT_NE(refused.error().message().find(where + "/b"), std::string::npos)
        << refused.error().message();
    EXPECT_TRUE(becomes_free(their_a));
    EXPECT_TRUE(has_queue(their_b, 1));
    EXPECT_FALSE(their_c.is_locked().value()) << "F15: asked for after a failure";
}

// A user's lock type, which records the deadlines of its calls.
class recorder {
public:
    recorder(mutex& lock, std::vector<boottime_clock::time_point>& deadlines)
        : lock_{lock}, deadlines_{deadlines} {}
    [[nodiscard]] const std::string& path() const { return lock_.path(); }
    result<guard> acquire(acquire_options options) {
        deadlines_.push_back(options.timeout.deadline().value());
        return lock_.acquire(std::move(options));
    }
    result<guard> try_acquire(acquire_options options) {
        return lock_.try_acquire(std::move(options));
    }
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler) {
        deadlines_.push_back(options.timeout.deadline().value());
        lock_.async_acquire(std::move(options), std::move(handler));
    }

private:
    mutex& lock_;
    std::vector<boottime_clock::time_point>& deadlines_;
};

TEST_F(multi_locks, F15_all_parts_have_one_deadline) {
    std::vector<boottime_clock::time_point> deadlines;
    recorder first{a, deadlines};
    recorder second{b, deadlines};
    multi_lock both{first, second};
    EXPECT_TRUE(both.acquire({.timeout = 1h}).has_value());
    event done;
    both.async_acquire({.timeout = 2h}, [&](const result<guard>& hold) {
        EXPECT_TRUE(hold);
        done.set();
    });
    ASSERT_TRUE(done.wait());
    ASSERT_EQ(deadlines.size(), 4U);
    EXPECT_EQ(deadlines[0], deadlines[1]);
    EXPECT_EQ(deadlines[2], deadlines[3]);
}

TEST_F(multi_locks, F31_opposite_orders_do_not_deadlock) {
    multi_lock theirs{their_b, their_a};
    std::atomic<int> inside{0};
    const auto work = [&](multi_lock& mine) {
        for (int i = 0; i != 50; ++i) {
            const auto hold = mine.acquire({.timeout = limit()});
            ASSERT_TRUE(hold) << hold.error().message();
            EXPECT_EQ(++inside, 1);
            --inside;
        }
    };
    multi_lock ours{a, b};
    std::thread other{[&] { work(theirs); }};
    work(ours);
    other.join();
}

TEST_F(multi_locks, the_time_of_the_grant_is_that_of_the_last_part) {
    auto theirs = their_c.acquire().value();
    std::vector<boottime_clock::time_point> told;
    outcome here;
    std::thread waiting{[&] {
        keep(here, all.acquire({.on_granted_at = [&](boottime_clock::time_point granted_at) {
            told.push_back(granted_at);
        }}));
    }};
    ASSERT_TRUE(has_queue(their_c, 2)) << "the other parts are held";
    const auto before_the_last = boottime_clock::now();
    theirs.unlock();
    waiting.join();
    ASSERT_TRUE(here.answer && *here.answer);
    ASSERT_EQ(told.size(), 1U) << "of the whole, and of no part";
    EXPECT_LE(before_the_last, told.front());
    EXPECT_LE(told.front(), boottime_clock::now());
}

TEST_F(multi_locks, a_try_takes_all_or_nothing) {
    {
        const auto theirs = their_c.acquire().value();
        const auto refused = all.try_acquire();
        EXPECT_EQ(refused.error(), errc::busy);
        EXPECT_NE(refused.error().message().find("/c"), std::string::npos);
        EXPECT_TRUE(becomes_free(their_a));
    }
    ASSERT_TRUE(becomes_free(their_c));
    EXPECT_TRUE(all.try_acquire().has_value());
}

TEST_F(multi_locks, the_loss_of_one_is_the_loss_of_all) {
    auto hold = all.acquire().value();
    event stopped;
    event told;
    const std::stop_callback on_stop{hold.lost(), [&] {
                                         // The loss must be reported before the other locks are released.
                                         EXPECT_FALSE(hold.valid());
                                         EXPECT_TRUE(their_a.is_locked().value());
                                         stopped.set();
                                     }};
    std::string reason;
    hold.on_lost([&](const error& why) {
        reason = why.message();
        told.set();
    });
    const auto until = hold.valid_until();
    const auto tokens = hold.fencing_tokens();
    other_faults.expire(others->session().id);
    ASSERT_TRUE(stopped.wait());
    ASSERT_TRUE(told.wait());
    EXPECT_NE(reason.find("local:" + other_tree + "/c"), std::string::npos) << reason;
    EXPECT_EQ(hold.status().error(), errc::session_lost);
    EXPECT_TRUE(nothing_is_left());
    EXPECT_TRUE(hold);
    EXPECT_EQ(hold.fencing_tokens(), tokens);
    EXPECT_GE(until, hold.valid_until());
    event late;
    hold.on_lost([&](const error&) { late.set(); });
    EXPECT_TRUE(late.wait());
    EXPECT_EQ(hold.release().error(), errc::session_lost);
}

// A thread of the client releases the lost hold. So a stop callback of the hold may wait for the release.
TEST_F(multi_locks, a_lost_hold_is_given_up_while_a_stop_callback_of_it_waits_for_that) {
    auto hold = all.acquire().value();
    event begun;
    event given_up;
    const std::stop_callback waits{hold.lost(), [&] {
                                       begun.set();
                                       EXPECT_TRUE(given_up.wait());
                                   }};
    other_faults.expire(others->session().id);
    ASSERT_TRUE(begun.wait());
    EXPECT_EQ(hold.release(limit()).error(), errc::session_lost);
    given_up.set();
}

TEST_F(multi_locks, a_released_hold_tells_of_no_loss) {
    event told;
    auto hold = all.acquire({.on_lost = [&](const error&) { told.set(); }}).value();
    const auto lost = hold.lost();
    ASSERT_TRUE(hold.release());
    other_faults.expire(others->session().id);
    ASSERT_TRUE(eventually([&] { return others->session().epoch == 2; }));
    EXPECT_FALSE(told.is_set());
    EXPECT_FALSE(lost.stop_requested());
}

TEST_F(multi_locks, a_session_lost_while_another_lock_is_waited_for_starts_it_over) {
    auto theirs = their_c.acquire().value();
    outcome here;
    all.async_acquire({}, [&](result<guard> hold) { keep(here, std::move(hold)); });
    ASSERT_TRUE(has_queue(their_c, 2));
    const auto before = their_a.holder().value()->token;
    faults.expire(servers->session().id);
    ASSERT_TRUE(eventually([&] {
        const auto now = their_a.holder().value();
        return now && now->token > before;
    }));
    ASSERT_TRUE(has_queue(their_c, 2));
    theirs.unlock();
    ASSERT_TRUE(here.came.wait());
    ASSERT_TRUE(*here.answer) << here.answer->error().message();
    EXPECT_TRUE((*here.answer)->valid());
}

TEST_F(multi_locks, a_client_that_closes_ends_the_wait_and_leaves_nothing) {
    const auto theirs = their_c.acquire().value();
    outcome here;
    std::thread waiter{[&] { keep(here, all.acquire()); }};
    ASSERT_TRUE(has_queue(their_c, 2));
    servers->close();  // the call is cancelled, and releases the parts that it already holds
    waiter.join();
    EXPECT_EQ(here.answer->error(), errc::closed);
    EXPECT_NE(here.answer->error().message().find(where + '/'), std::string::npos)
        << here.answer->error().message();
    EXPECT_TRUE(has_queue(their_c, 1));
}

TEST_F(multi_locks, a_stop_request_and_an_interruption_leave_nothing) {
    TURNSTILE_NEEDS_INTERRUPTION();
    const auto theirs = their_b.acquire().value();
    std::stop_source stop;
    outcome here;
    all.async_acquire({.stop = stop.get_token()},
                      [&](result<guard> hold) { keep(here, std::move(hold)); });
    ASSERT_TRUE(has_queue(their_b, 2));
    stop.request_stop();
    ASSERT_TRUE(here.came.wait());
    EXPECT_EQ(here.answer->error(), errc::cancelled);
    EXPECT_TRUE(becomes_free(their_a));
    EXPECT_EQ(all.acquire({.stop = stop.get_token()}).error(), errc::cancelled);

    outcome there;
    boost::thread waiter{[&] { keep(there, all.acquire()); }};
    ASSERT_TRUE(has_queue(their_b, 2));
    waiter.interrupt();
    waiter.join();
    EXPECT_EQ(there.answer->error(), errc::interrupted);
    EXPECT_TRUE(becomes_free(their_a));
    EXPECT_TRUE(has_queue(their_b, 1));
}

TEST_F(multi_locks, what_nobody_takes_over_is_given_back) {
    event dropped;
    all.async_acquire({}, [&](const result<guard>&) { dropped.set(); });
    ASSERT_TRUE(dropped.wait());
    EXPECT_TRUE(nothing_is_left());
    EXPECT_THROW(all.async_acquire({}, nullptr), std::system_error);
}

TEST_F(multi_locks, the_standard_forms_are_the_threads_own) {
    {
        const std::scoped_lock held{all};
        ASSERT_NE(all.current(), nullptr);
        EXPECT_EQ(all.current()->fencing_tokens().size(), 3U);
        EXPECT_THROW(all.lock(), std::system_error);
        EXPECT_FALSE(all.try_lock());
        EXPECT_FALSE(all.try_lock_for(1ms));
        std::thread{[&] {
            EXPECT_FALSE(all.try_lock());
            EXPECT_FALSE(all.try_lock_until(std::chrono::steady_clock::now() + 5ms));
            EXPECT_THROW(all.unlock(), std::system_error);
        }}.join();
    }
    EXPECT_EQ(all.current(), nullptr);
    ASSERT_TRUE(nothing_is_left());
    EXPECT_TRUE(all.try_lock_for(limit()));
    all.unlock();
}

TEST_F(multi_locks, sets_that_make_no_sense_are_refused_by_name) {
    const auto refusal = [](std::vector<any_lock> locks) {
        try {
            const multi_lock lock{std::move(locks)};
        } catch (const std::system_error& refused) {
            EXPECT_EQ(refused.code(), errc::bad_option);
            return std::string{refused.what()};
        }
        return std::string{"accepted"};
    };
    EXPECT_NE(refusal({}).find("the list of locks is empty"), std::string::npos);
    EXPECT_NE(refusal({a, b, their_a}).find('"' + where + "/a\" is in the list twice"),
              std::string::npos);
    EXPECT_NE(refusal({any_lock{a, "x"}, any_lock{b, "x"}}).find("\"x\""), std::string::npos);
}

TEST_F(multi_locks, a_function_is_called_while_all_are_held) {
    const auto held = with_lock(all, [&](guard& hold) {
        return hold.valid() && their_a.is_locked().value() && their_c.is_locked().value();
    });
    EXPECT_TRUE(held.value());
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(multi_locks, names_of_the_callers_are_in_the_tokens) {
    multi_lock named{any_lock{std::make_shared<mutex>(*servers, "/d"), "stock"}, a};
    const auto hold = named.acquire().value();
    EXPECT_NE(hold.fencing_tokens().find("stock"), nullptr);
}

// Many threads grant, lose and release, so that the sanitizers find races.
TEST_F(multi_locks, many_threads_and_sessions_that_end) {
    std::atomic<int> granted{0};
    std::vector<std::thread> threads;
    for (auto* mine : {&all}) {
        for (int i = 0; i != 3; ++i) {
            threads.emplace_back([&, mine] {
                for (int round = 0; round != 20; ++round) {
                    auto hold = mine->acquire({.timeout = limit()});
                    if (!hold) continue;  // the hold was lost before the thread woke up
                    ++granted;
                    hold->on_lost([](const error&) {});
                }
            });
        }
    }
    for (int i = 0; i != 10; ++i) {
        const auto before = granted.load();
        faults.expire(servers->session().id);
        EXPECT_TRUE(eventually([&] { return granted > before || granted >= 40; }));
    }
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace turnstile::tests
