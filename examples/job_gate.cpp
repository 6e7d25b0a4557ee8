// SPDX-License-Identifier: Apache-2.0
// job_gate: every instance has the same timer, and the job runs once; a rota, in which the instances take turns; and a
// limit on calls.
//
//     job_gate [connect string]      (default: "local:", which needs no server)
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <semaphore>

#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;

// What each instance does when its timer fires.
void on_timer(turnstile::job_gate& gate) {
    const auto report = gate.run(
                                [](turnstile::job_run& run) {
                                    std::cout << "run " << run.number() << ", missed "
                                              << run.missed() << '\n';
                                },
                                {.timeout = 10s})
                            .value();
    if (report.verdict == turnstile::job_verdict::not_due)
        std::cout << "not due: " << report.record.by << " has run it\n";
}

// An instance of a rota: the leader runs the job when it is due, and goes to the back of the queue.
struct member {
    member(const char* where, const char* name)
        : servers{where},
          gate{servers, "/jobs/backup", {.period = 100ms}, name},
          seat{servers,
               "/rota/backup",
               [this](auto& term) { take_turn(term); },
               {.id = name, .pause = 10ms}} {}

    void take_turn(turnstile::leader_term& term) {
        std::mutex mutex;
        std::unique_lock lock{mutex};
        std::condition_variable_any due;
        while (!term.lost().stop_requested()) {
            const auto report =
                gate.run([this](auto& run) { work(run); }, {.timeout = 10s, .stop = term.lost()});
            if (report && report->verdict == turnstile::job_verdict::ran) return;
            due.wait_for(lock, term.lost(), report ? report->retry_in : 1s, [] { return false; });
        }
    }
    void work(turnstile::job_run& run) {
        if (run.number() > 4) return;
        while (seat.participants().value().size() != 2) {  // for an output that is always the same
        }
        std::cout << seat.id() << " has turn " << run.number() << '\n';
        turns.release();
    }

    static inline std::counting_semaphore<> turns{0};
    turnstile::client servers;
    turnstile::job_gate gate;
    turnstile::leader seat;
};

}  // namespace

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "local:";
    const turnstile::client servers{where};
    const turnstile::client two{where};
    const turnstile::job_rules daily{.period = 24h, .at_most_for = 1h};
    turnstile::job_gate here{servers, "/jobs/invoices", daily, "here"};
    turnstile::job_gate there{two, "/jobs/invoices", daily, "there"};
    on_timer(here);
    on_timer(there);

    member first{where, "first"};
    member second{where, "second"};
    first.seat.start();
    while (first.seat.participants().value().empty()) {
    }
    second.seat.start();
    for (int turn = 0; turn != 4; ++turn) member::turns.acquire();
    first.seat.close();
    second.seat.close();

    turnstile::rate_gate calls{two, "/limits/partner", {.entries = 2, .period = 1h}};
    for (int i = 0; i != 3; ++i)
        std::cout << "call " << i << (calls.try_enter() ? " goes out\n" : " has to wait\n");
}
