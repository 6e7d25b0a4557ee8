// SPDX-License-Identifier: Apache-2.0
// turnstile_demo: a process of the demo, which demo.py directs. The process is the private server or a worker.
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "processes.hpp"

int main(int argc, char** argv) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // when demo.py ends, even if this process is stopped
    demo::settings given;
    long session_timeout_ms = 0;
    long tick_ms = 0;
    long work_us = 0;
    CLI::App app{"A process of the demo; demo/demo.py starts it."};
    app.require_subcommand(1);
    auto* const server = app.add_subcommand("server", "a private server");
    auto* const worker = app.add_subcommand("worker", "sells the stock");
    for (auto* const each : {server, worker}) {
        each->add_option("--folder", given.folder)->required();
        each->add_option("--servers", given.servers);
        each->add_option("--session-timeout", session_timeout_ms)->required();
        each->add_option("--tick", tick_ms)->required();
    }
    worker->add_option("--index", given.index)->required();
    worker->add_option("--guardian", given.guardian);
    worker->add_option("--work", work_us)->required();
    worker->add_option("--seed", given.seed)->required();
    CLI11_PARSE(app, argc, argv);
    given.session_timeout = std::chrono::milliseconds{session_timeout_ms};
    given.tick = std::chrono::milliseconds{tick_ms};
    given.work = std::chrono::microseconds{work_us};
    try {
        return server->parsed() ? demo::run_server(given) : demo::run_worker(given);
    } catch (const std::exception& failure) {
        std::cerr << argv[1] << ' ' << given.index << ": " << failure.what() << '\n';
        return 1;
    }
}
