// SPDX-License-Identifier: Apache-2.0
// job_gate: every instance has the same timer, and the job runs once; and a limit on calls.
//
//     job_gate [connect string]      (default: "local:", which needs no server)
#include <iostream>

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

    turnstile::rate_gate calls{two, "/limits/partner", {.entries = 2, .period = 1h}};
    for (int i = 0; i != 3; ++i)
        std::cout << "call " << i << (calls.try_enter() ? " goes out\n" : " has to wait\n");
}
