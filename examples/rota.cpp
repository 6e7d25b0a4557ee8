// SPDX-License-Identifier: Apache-2.0
// rota: a job runs once per period, and the processes take turns at it.
//
//     TURNSTILE_SERVERS=zk1:2181 rota NAME TURNS PERIOD_MS      (start several at once)
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    if (argc != 4) return std::cerr << "usage: rota NAME TURNS PERIOD_MS\n", 2;
    const std::string name = argv[1];
    const std::chrono::milliseconds period{std::stoi(argv[3])};
    const turnstile::client servers = turnstile::client::from_environment();
    // The gate lets the job run once in a period. The queue of the mutex is the order of the turns.
    turnstile::job_gate gate{servers, "/situations/report", {.period = period}, name};
    turnstile::mutex rota{servers, "/situations/rota"};
    const auto in_line = [&](const std::string&) { std::cout << name << " in line" << std::endl; };
    const auto job = [&](const turnstile::job_run& run) {
        std::cout << name << " runs " << run.number() << std::endl;
    };

    for (int turns = std::stoi(argv[2]); turns != 0; --turns) {
        const auto turn = rota.acquire({.on_entered = in_line});
        if (!turn) {
            std::cerr << turn.error().message() << '\n';
            return 1;
        }
        // This process holds the mutex until the job is due and has run. Then it queues again, behind the others.
        for (;;) {
            const auto report = gate.run(job, {.timeout = 30s});
            if (!report) {
                std::cerr << report.error().message() << '\n';
                return 1;
            }
            if (report->verdict == turnstile::job_verdict::ran) break;
            std::this_thread::sleep_for(report->retry_in);
        }
    }
}
