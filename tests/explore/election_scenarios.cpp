// SPDX-License-Identifier: Apache-2.0
// Scenarios for the class `leader`, with and without a function: start(), close() and the end of a lead happen at the
// same time.
#include <atomic>
#include <memory>

#include "explore/scenarios.hpp"
#include "explore/support.hpp"

namespace turnstile::explore {

namespace {

// start() and close() run at the same time. Afterwards a closed participant must be out of the queue, and a queued
// participant must lead in the end.
void start_beside_close() {
    client servers{k_servers};
    leader election{servers, "/lead", [](leader_term&) {}, {.id = "one", .once = true}};
    {
        actor other{[&] { election.start(); }};
        election.close();
    }
    require(becomes([&] {
                const auto all = election.participants({.timeout = 5s});
                return election.terms() > 0 || (all && all->empty());
            }),
            "a closed election stays in the queue, and nobody leads");
}

void start_and_close_beside_a_term() {
    client servers{k_servers};
    std::atomic<bool> inside{false};
    leader election{servers,
                    "/lead",
                    [&](leader_term&) {
                        require(!inside.exchange(true), "two terms at the same time");
                        inside = false;
                    },
                    {.id = "one", .pause = 0s}};
    election.start();
    {
        actor other{[&] {
            election.close();
            require(!inside, "the function runs after close()");
        }};
    }
    const auto before = election.terms();
    pass(1s);
    require(election.terms() == before, "a term began after close()");
    require(becomes([&] {
                const auto all = election.participants({.timeout = 5s});
                return all && all->empty();
            }),
            "a closed election stays in the queue");
}

// After a term the participant pauses. This pause ends while one thread calls close() and another calls start().
// Afterwards the participant leads again, or is not in the queue.
void pause_beside_close() {
    client servers{k_servers};
    leader election{servers, "/lead", [](leader_term&) {}, {.id = "one", .pause = 10ms}};
    election.start();
    require(becomes([&] { return election.terms() > 0; }), "the only participant leads");
    {
        actor other{[&] { election.close(); }};
        pass(10ms);
        election.start();
    }
    require(becomes([&] {
                const auto before = election.terms();
                pass(1s);
                const auto all = election.participants({.timeout = 5s});
                return election.terms() > before || (all && all->empty());
            }),
            "it stays in the queue, and does not lead");
}

void resign_beside_close() {
    client servers{k_servers};
    leader election{servers,
                    "/lead",
                    [](leader_term& term) {
                        while (!term.lost().stop_requested()) pass(10ms);
                    },
                    {.id = "one"}};
    election.start();
    actor other{[&] { election.resign(); }};
    election.close();
}

void latch_close_beside_await() {
    client servers{k_servers};
    leader latch{servers, "/latch", {.id = "one", .protocol = election_protocol::latch}};
    latch.start();
    actor other{[&] {
        const auto leads = latch.await({.timeout = 30s});
        if (!leads && leads.error() != errc::closed)
            violated("await says " + leads.error().message());
    }};
    latch.close();
}

// start() and close() of a latch (a `leader` without a function) run at the same time. Afterwards the latch must be in
// no queue, or lead until it is closed again.
void latch_start_beside_close() {
    client servers{k_servers};
    leader latch{servers, "/latch", {.id = "one", .protocol = election_protocol::latch}};
    {
        actor other{[&] { latch.start(); }};
        latch.close();
    }
    require(becomes([&] {
                const auto all = latch.participants({.timeout = 5s});
                return latch.leads() || (all && all->empty());
            }),
            "a closed latch stays in the queue and does not lead");
}

// An administrator removes the znode of a leading latch (a `leader` without a function) while close() of the latch
// runs.
void latch_loss_beside_close() {
    client servers{k_servers};
    leader latch{servers, "/latch", {.id = "one", .protocol = election_protocol::latch}};
    latch.start();
    require(latch.await({.timeout = 30s}).has_value(), "the only participant leads");
    {
        actor other{[&] {
            const mutex seat{servers, "/latch"};
            const revocation orders{servers, "/latch"};
            const auto holder = seat.holder({.timeout = 5s}).value_or(std::nullopt);
            if (holder) static_cast<void>(orders.take_now(*holder, {}));
        }};
        latch.close();
    }
    require(!latch.leads(), "a closed latch leads");
    require(becomes([&] {
                const auto all = latch.participants({.timeout = 5s});
                return all && all->empty();
            }),
            "a closed latch stays in the queue");
}

void client_close_beside_await() {
    client servers{k_servers};
    leader latch{servers, "/latch", {.id = "one", .protocol = election_protocol::latch}};
    latch.start();
    actor other{[&] {
        const auto leads = latch.await({.timeout = 30s});
        if (!leads && leads.error() != errc::closed)
            violated("await says " + leads.error().message());
    }};
    servers.close();
}

}  // namespace

std::vector<scenario> election_scenarios() {
    return {
        {"election_start_close", "leader: start() beside close()", start_beside_close},
        {"election_term_close", "leader: close() beside terms that follow one another",
         start_and_close_beside_a_term},
        {"election_pause_close", "leader: the end of a pause beside close() and start()",
         pause_beside_close},
        {"election_resign_close", "leader: resign() beside close()", resign_beside_close},
        {"latch_close_await", "leader: close() beside await()", latch_close_beside_await},
        {"latch_start_close", "leader: start() beside close()", latch_start_beside_close},
        {"latch_loss_close", "leader: a removal by hand beside close()", latch_loss_beside_close},
        {"client_close_await", "leader: await() beside the client's close()",
         client_close_beside_await},
    };
}

}  // namespace turnstile::explore
