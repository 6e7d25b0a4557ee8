// SPDX-License-Identifier: Apache-2.0
// A client over `local:` that closes beside calls of other threads: each call comes back, each handler is called
// once, no contender is left.
#include <atomic>
#include <string>

#include "explore/scenarios.hpp"
#include "explore/support.hpp"

namespace turnstile::explore {

namespace {

constexpr const char* k_servers = "local:explored";

// The queue is empty, as another client sees it.
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
        {"close_inside", "client: close() in a handler beside close()",
         close_in_a_handler_beside_close},
        {"two_turns", "mutex: two threads take turns", two_take_turns},
    };
}

}  // namespace turnstile::explore
