// SPDX-License-Identifier: Apache-2.0
// Scenarios: a client over `local:` closes while other threads call it. Each call must return, each handler must run
// once, and no contender may remain.
#include <atomic>
#include <string>

#include "explore/scenarios.hpp"
#include "explore/support.hpp"

namespace turnstile::explore {

namespace {

// Checks, with another client, that the queue is empty.
void require_empty(const std::string& path) {
    const client observer{k_servers};
    const mutex lock{observer, path};
    const auto queue = lock.queue({.timeout = 5s});
    require(queue.has_value(), "the observer has no answer");
    require(queue->empty(), "a contender is left in the queue");
}

void close_beside_acquire() {
    {
        client servers{k_servers};
        mutex lock{servers, "/a"};
        actor other{[&] {
            const auto hold = lock.acquire({.timeout = 5s});
            if (!hold && hold.error() != errc::closed)
                violated("acquire says " + hold.error().message());
        }};
        servers.close();
    }
    require_empty("/a");
}

void close_beside_handler() {
    std::atomic<int> called{0};
    {
        client servers{k_servers};
        mutex lock{servers, "/a"};
        actor other{
            [&] { lock.async_acquire({.timeout = 5s}, [&](const result<guard>&) { ++called; }); }};
        servers.close();
    }
    require(called == 1, "the handler was not called once");
    require_empty("/a");
}

void close_beside_release() {
    {
        client servers{k_servers};
        mutex lock{servers, "/a"};
        auto hold = lock.acquire({.timeout = 5s});
        require(hold.has_value(), "not granted");
        actor other{[&] {
            const auto released = hold->release(5s);
            if (!released && released.error() != errc::closed)
                violated("release says " + released.error().message());
        }};
        servers.close();
    }
    require_empty("/a");
}

void close_beside_commit() {
    client servers{k_servers};
    mutex lock{servers, "/a"};
    auto hold = lock.acquire({.timeout = 5s});
    require(hold.has_value(), "not granted");
    actor other{[&] {
        const auto written = hold->commit(transaction{}.create("/x", "1"));
        const bool good =
            written || written.error() == errc::closed || written.error() == errc::outcome_unknown;
        if (!good) violated("commit says " + written.error().message());
    }};
    servers.close();
    other.join();
    const auto late = hold->commit(transaction{}.create("/y", "1"));
    require(!late && late.error() == errc::closed, "a commit after close() is not `closed`");
}

// An operator takes the lock away while the holder commits. Both forms of a commit must name this end of the hold.
void take_beside_commits() {
    client servers{k_servers};
    client operators{k_servers};
    mutex lock{servers, "/a"};
    auto hold = lock.acquire({.timeout = 5s});
    require(hold.has_value(), "not granted");
    const auto holder = lock.holder().value();
    require(holder.has_value(), "nobody holds the lock");
    std::atomic<bool> answered{false};
    const auto judge = [](const char* form, const result<commit_result>& written) {
        const bool good =
            written || written.error() == errc::revoked || written.error() == errc::outcome_unknown;
        if (!good) violated(std::string{form} + " says " + written.error().message());
    };
    {
        actor other{[&] {
            require(revocation{operators, "/a"}.take(*holder, {.who = "ops"}).has_value(),
                    "not taken");
        }};
        hold->async_commit(transaction{}.create("/y", "1"), {},
                           [&](const result<commit_result>& written) {
                               judge("async_commit", written);
                               answered = true;
                           });
        judge("commit", hold->commit(transaction{}.create("/x", "1")));
    }
    require(becomes([&] { return answered.load(); }), "the handler was not called");
}

void close_in_a_handler_beside_close() {
    std::atomic<int> called{0};
    auto servers = std::make_shared<client>(k_servers);
    mutex lock{*servers, "/a"};
    lock.async_acquire({}, [&](const result<guard>&) {
        ++called;
        servers->close();
    });
    servers->close();
    require(called == 1, "the handler was not called once");
}

// Two clients share their threads. One client closes while the other client works and runs a callback.
void close_of_one_that_shares() {
    std::atomic<int> called{0};
    {
        const auto shared = runtime::start({.threads = 1});
        client first{k_servers, {.runtime = shared}};
        client second{k_servers, {.runtime = shared}};
        mutex lock{first, "/a"};
        mutex same{second, "/a"};
        lock.async_acquire({}, [&](const result<guard>&) { ++called; });
        actor other{[&] {
            const auto hold = same.acquire({.timeout = 5s});
            if (!hold) violated("acquire says " + hold.error().message());
        }};
        first.close();
        require(called == 1, "the handler was not called once");
    }
    require_empty("/a");
}

// A handler of one client closes the other client, whose handler may not have run yet. Then the handler closes its own
// client, and drops the last reference to the threads that both clients share.
void close_of_all_that_share_in_a_handler() {
    static std::atomic<int> called{
        0};  // static, because the handler's thread may use it after this function
    static base::mutex mutual;
    static base::condition_variable changed;
    static bool over = false;
    {
        const auto shared = runtime::start({.threads = 1});
        auto first = std::make_shared<client>(k_servers, client_options{.runtime = shared});
        auto second = std::make_shared<client>(k_servers, client_options{.runtime = shared});
        mutex lock{*first, "/a"};
        mutex same{*second, "/b"};
        same.async_acquire({}, [&](const result<guard>&) { ++called; });
        lock.async_acquire({}, [&, first, second](const result<guard>&) mutable {
            ++called;
            second->close();
            first->close();
            first.reset();
            second.reset();
            const base::lock_guard hold{mutual};
            over = true;
            changed.notify_all();
        });
    }
    base::unique_lock hold{mutual};
    while (!over) changed.wait(hold);
    require(called == 2, "a handler was not called once");
}

void two_take_turns() {
    client servers{k_servers};
    std::atomic<int> inside{0};
    const auto turn = [&] {
        mutex lock{servers, "/a"};
        auto hold = lock.acquire({.timeout = 5s});
        if (!hold) violated("acquire says " + hold.error().message());
        require(++inside == 1, "two hold the lock");
        --inside;
        hold->unlock();
    };
    actor other{turn};
    turn();
}

}  // namespace

std::vector<scenario> client_scenarios() {
    return {
        {"close_acquire", "client: close() beside acquire()", close_beside_acquire},
        {"close_handler", "client: close() beside async_acquire()", close_beside_handler},
        {"close_release", "client: close() beside release()", close_beside_release},
        {"close_commit", "client: close() beside commit()", close_beside_commit},
        {"take_commit", "hold: take() beside commit() and async_commit()", take_beside_commits},
        {"close_inside", "client: close() in a handler beside close()",
         close_in_a_handler_beside_close},
        {"shared_close_one", "runtime: one of two clients that share it closes beside the other",
         close_of_one_that_shares},
        {"shared_close_inside", "runtime: a handler closes both clients and ends the threads",
         close_of_all_that_share_in_a_handler},
        {"two_turns", "mutex: two threads take turns", two_take_turns},
    };
}

}  // namespace turnstile::explore
