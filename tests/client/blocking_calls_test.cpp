// SPDX-License-Identifier: Apache-2.0
// Tests each blocking call at each place where user code runs for a client. The call must return with a result, a
// timeout or a refusal, and then the client must close. No call may depend on a callback that cannot run.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "client/user_code_places.hpp"
#include "turnstile/tools/odd_znodes.hpp"
#include "turnstile/tools/path_trial.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

constexpr auto k_moment = 10ms;

// ---- the blocking calls ---------------------------------------------------------------------

struct blocking_call {
    const char* name;
    std::function<void(surroundings&)> make;
};

template <class Lock>
void take_and_time_out(Lock& free, Lock& taken) {
    auto mine = free.acquire();
    ASSERT_TRUE(mine) << mine.error().message();
    EXPECT_TRUE(mine->release(limit()));
    EXPECT_EQ(taken.acquire({.timeout = k_moment}).error(), errc::timeout);
    EXPECT_EQ(taken.try_acquire().error(), errc::busy);
}

void mutexes(surroundings& at, const std::string& path, const lock_options& modes) {
    mutex free{at.mine, path, modes};
    mutex taken{at.mine, "/held", modes};
    take_and_time_out(free, taken);
    free.lock();
    free.unlock();
    EXPECT_FALSE(taken.try_lock_for(k_moment));
    // The callbacks of this call run later or never.
    EXPECT_EQ(taken.acquire({.timeout = k_moment, .on_queued = [](std::size_t) {}}).error(),
              errc::timeout);
}

void recursive_mutexes(surroundings& at) {
    recursive_mutex free{at.mine, "/free"};
    recursive_mutex taken{at.mine, "/held"};
    const auto outer = free.acquire();
    EXPECT_TRUE(free.acquire().has_value());
    EXPECT_EQ(taken.acquire({.timeout = k_moment}).error(), errc::timeout);
}

void shared_mutexes(surroundings& at) {
    shared_mutex free{at.mine, "/shared"};
    auto hold = free.acquire_upgrade().value();
    EXPECT_TRUE(free.upgrade(hold));
    EXPECT_EQ(free.acquire_shared({.timeout = k_moment}).error(), errc::timeout);
    EXPECT_TRUE(free.downgrade_to_shared(hold));
    EXPECT_TRUE(free.acquire_shared().has_value());
    EXPECT_TRUE(free.holders());
    EXPECT_TRUE(hold.release(limit()));
}

void semaphores(surroundings& at) {
    semaphore two{at.mine, "/two", 2};
    auto both = two.acquire(2).value();
    EXPECT_EQ(two.acquire({.timeout = k_moment}).error(), errc::timeout);
    EXPECT_EQ(two.available().value(), 0);
    EXPECT_TRUE(two.set_limit(3));
    EXPECT_EQ(two.limit().value(), 3);
    EXPECT_TRUE(two.acquire().has_value());
    EXPECT_TRUE(both.release(limit()));
}

void multi_locks(surroundings& at) {
    mutex free{at.mine, "/free"};
    mutex beside{at.mine, "/beside"};
    mutex taken{at.mine, "/held"};
    multi_lock both{free, beside};
    EXPECT_TRUE(both.acquire()->release(limit()));
    multi_lock never{free, taken};
    EXPECT_EQ(never.acquire({.timeout = k_moment}).error(), errc::timeout);
    EXPECT_EQ(never.try_acquire().error(), errc::busy);
}

void quorum_locks(surroundings& at) {
    const client second{"local:" + at.tree + "-second"};
    const client third{"local:" + at.tree + "-third"};
    quorum_lock free{{{at.mine, "a"}, {second, "b"}, {third, "c"}}, "/free"};
    auto hold = free.acquire();
    ASSERT_TRUE(hold) << hold.error().message();
    quorum_lock again{{{at.mine, "a"}, {second, "b"}, {third, "c"}}, "/free"};
    EXPECT_EQ(again.acquire({.timeout = k_moment}).error(), errc::timeout);
    EXPECT_TRUE(hold->release(limit()));
}

void latches(surroundings& at) {
    leader seat{at.mine, "/latch", {.id = "a", .protocol = election_protocol::latch}};
    EXPECT_EQ(seat.await().error(), errc::not_held);
    seat.start();
    EXPECT_TRUE(seat.await());  // waits without a time limit
    EXPECT_TRUE(seat.leads());
    EXPECT_TRUE(seat.commit(transaction{}.create("/by-latch", "")));
    EXPECT_EQ(seat.present_leader().value()->id, "a");
    leader second{at.mine, "/latch", {.id = "b", .protocol = election_protocol::latch}};
    second.start();
    EXPECT_EQ(second.await({.timeout = k_moment}).error(), errc::timeout);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(second.await({.stop = stop.get_token()}).error(), errc::cancelled);
}

void elections(surroundings& at) {
    leader seat{at.mine, "/election", [](leader_term&) {}, {.id = "a"}};
    seat.start();
    EXPECT_TRUE(seat.participants());
    EXPECT_FALSE(seat.move_to("b", 1min));  // no participant has that name
    seat.resign();
    seat.close();
    EXPECT_FALSE(seat.present_leader().has_error());
}

void gates(surroundings& at) {
    job_gate job{at.mine, "/job", {.period = 1ms}};
    int runs = 0;
    const auto done = job.run([&](job_run& run) {
        ++runs;
        EXPECT_TRUE(run.lock().valid());
    });
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(job.last().value().state, job_state::succeeded);
    rate_gate rate{at.mine, "/rate", {.entries = 1, .period = 1h}};
    EXPECT_TRUE(rate.enter());
    EXPECT_EQ(rate.try_enter().error(), errc::busy);
    EXPECT_EQ(rate.enter({.timeout = k_moment}).error(), errc::timeout);
    EXPECT_TRUE(rate.state());
}

void commits(surroundings& at) {
    mutex free{at.mine, "/free"};
    auto hold = free.acquire().value();
    EXPECT_TRUE(hold.commit(transaction{}.create("/by-guard", "")));
    EXPECT_TRUE(hold.release());
    EXPECT_EQ(hold.commit(transaction{}.set("/by-guard", "1")).error(), errc::not_held);
}

void queries(surroundings& at) {
    const mutex taken{at.mine, "/held"};
    EXPECT_TRUE(taken.is_locked().value());
    EXPECT_EQ(taken.queue().value().size(), 1U);
    EXPECT_EQ(taken.holder().value()->name, at.held.znode().substr(6));
    EXPECT_FALSE(taken.position(at.held).has_error());
    EXPECT_TRUE(at.mine.wait_connected(limit()));
    EXPECT_TRUE(read_node(at.mine, "/held"));
    EXPECT_TRUE(try_path(at.mine, "/tried"));
    EXPECT_TRUE(locks_below(at.mine, "/held"));
    EXPECT_TRUE(odd_znodes_below(at.mine, "/held"));
}

void revocations(surroundings& at) {
    const mutex taken{at.mine, "/held"};
    const revocation held{at.mine, "/held"};
    EXPECT_TRUE(held.ask(taken.holder().value().value(), {.who = "ops"}));
    const mutex lock{at.mine, "/asked"};
    const revocation orders{at.mine, "/asked"};
    EXPECT_TRUE(orders.take(lock.holder().value().value(), {.wait = 2s}));
    mutex another{at.theirs, "/asked"};
    const auto hold = another.acquire();
    EXPECT_EQ(orders.take_now(lock.holder().value().value(), {}).value(),
              revocation_outcome::deleted);
}

// These calls search for deadlocks, and need callbacks for that. Inside a callback the library refuses the calls. Where
// no callback can run, the calls time out.
void deadlocks(surroundings& at) {
    const deadlock_detector detector{at.mine, {"/free", "/held"}, {.look_after = 2ms}};
    for (const std::string path : {"/free", "/held"}) {
        mutex lock{at.mine, path};
        const auto hold = detector.acquire(lock, {.timeout = k_moment});
        EXPECT_TRUE(hold || hold.error() == errc::timeout || hold.error() == errc::bad_option);
    }
    EXPECT_TRUE(detector.find());
}

const std::vector<blocking_call> k_calls{
    {"mutex", [](surroundings& at) { mutexes(at, "/free", {}); }},
    {"mutex, retained", [](surroundings& at) { mutexes(at, "/retained", {.retain_for = 1min}); }},
    {"mutex, cohort", [](surroundings& at) { mutexes(at, "/cohort", {.cohort = 2}); }},
    {"recursive_mutex", recursive_mutexes},
    {"shared_mutex", shared_mutexes},
    {"semaphore", semaphores},
    {"multi_lock", multi_locks},
    {"quorum_lock", quorum_locks},
    {"leader_polled", latches},
    {"leader", elections},
    {"job_gate, rate_gate", gates},
    {"commit", commits},
    {"queries", queries},
    {"deadlock_detector", deadlocks},
    {"revocation", revocations},
};

// ---- every call at every place where user code runs -----------------------------------------

// The threads that run the client's callbacks: the client's own thread, the thread of an executor's loop, or a thread
// of a runtime. The clients here share a runtime with one thread of each kind. Blocked threads do not count.
enum class runs_on { own_thread, loop, runtime };

class table : public shell_test {
protected:
    void open(runs_on thread) {
        if (thread == runs_on::loop) loop = std::make_unique<loop_thread>();
        if (thread == runs_on::runtime) shared = runtime::start({.threads = 1});
        servers = connect({.callbacks = loop ? loop->run() : executor{},
                           .runtime = shared,
                           .close_timeout = 100ms});
        others = connect({.runtime = shared});
        at.emplace(surroundings{*servers, *others, tree, mutex{*others, "/held"}.acquire().value(),
                                mutex{*others, "/asked"}.acquire().value()});
    }
    // A thread that waits for itself would hang the test, so the program ends.
    void expect_done(const event& done) const {
        if (done.wait()) return;
        std::fprintf(stderr, "%s hangs\n", current.load());
        std::_Exit(EXIT_FAILURE);
    }
    void make_all() {
        for (const auto& call : k_calls) {
            current = call.name;
            call.make(*at);
            // SCOPED_TRACE would leave a value in this thread, and the thread may still run when the program ends.
            ASSERT_FALSE(HasFailure()) << call.name;
        }
        current = "client::close()";
        servers->close();
    }

    std::unique_ptr<loop_thread> loop;
    runtime shared;
    std::unique_ptr<client> servers;
    std::unique_ptr<client> others;
    std::optional<surroundings> at;
    std::vector<std::any> kept;
    std::atomic<const char*> current{"the place"};
};

class blocking_calls : public table,
                       public ::testing::WithParamInterface<std::tuple<place, runs_on>> {};

TEST_P(blocking_calls, come_back) {
    open(std::get<runs_on>(GetParam()));
    event done;
    const auto& there = std::get<place>(GetParam());
    there.enter(
        *at,
        [&] {
            make_all();
            done.set();
        },
        kept);
    expect_done(done);
    servers->close();
    kept.clear();
}

// The calls run on the loop's thread outside of a callback, so no code of the client runs there meanwhile.
TEST_F(table, come_back_on_the_thread_where_callbacks_would_run) {
    open(runs_on::loop);
    event done;
    loop->post([&] {
        make_all();
        done.set();
    });
    expect_done(done);
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<place, runs_on>>& info) {
    const std::string name = std::get<place>(info.param).name;
    switch (std::get<runs_on>(info.param)) {
        case runs_on::loop: return name + "_on_a_loop";
        case runs_on::runtime: return name + "_on_a_runtime";
        case runs_on::own_thread: break;
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(everywhere, blocking_calls,
                         ::testing::Combine(::testing::ValuesIn(k_places),
                                            ::testing::Values(runs_on::own_thread, runs_on::loop,
                                                              runs_on::runtime)),
                         name_of);

}  // namespace
}  // namespace turnstile::tests
