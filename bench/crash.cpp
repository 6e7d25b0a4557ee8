// SPDX-License-Identifier: Apache-2.0
// How long after the SIGKILL of a holder the next waiter has the lock, on three servers.
//
//     turnstile_bench_crash GUARDIAN TRIALS S [off]     S in milliseconds; GUARDIAN: the path of turnstile-guardian
//
// Each trial: a process of its own takes the lock; a client here queues behind it; the process is killed; the time from
// the kill to the grant. Prints each in milliseconds, then the median and the worst.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr const char* k_path = "/bench/crash";

struct arguments {
    std::string program;
    std::string guardian;
    int trials = 0;
    std::chrono::milliseconds session{};
    bool guarded = true;
};

turnstile::client_options options_of(const arguments& given) {
    turnstile::client_options options;
    options.session_timeout = given.session;
    if (given.guarded) options.guardian = {turnstile::guardian_use::started, given.guardian};
    return options;
}

// The process that is killed: this program, as `--hold CONNECT` and the arguments.
int hold(const std::string& servers, const arguments& given) {
    turnstile::client own{servers, options_of(given)};
    turnstile::mutex lock{own, k_path};
    const auto held = lock.acquire();
    if (!held) return 1;
    std::cout << "held" << std::endl;
    for (;;) ::pause();
}

double trial(turnstile::mutex& lock, const std::string& servers, const arguments& given) {
    const turnstile::testing::temporary_folder folder;
    turnstile::testing::process holder{
        {.command = {given.program, "--hold", servers, given.guardian, std::to_string(given.trials),
                     std::to_string(given.session.count()), given.guarded ? "on" : "off"},
         .output = folder.path() / "log"}};
    if (!holder.wait_for_output("held")) throw std::runtime_error{holder.output()};
    clock_type::time_point granted;
    std::thread waiter{[&] {
        auto mine = lock.acquire();
        granted = clock_type::now();
        if (!mine) std::cerr << mine.error().message() << '\n';
    }};
    while (lock.queue().value().size() < 2) std::this_thread::yield();
    std::this_thread::sleep_for(50ms);  // until the waiter's watch is set
    const auto killed = clock_type::now();
    ::kill(holder.pid(), SIGKILL);
    waiter.join();
    return std::chrono::duration<double, std::milli>(granted - killed).count();
}

int run(const arguments& given) {
    turnstile::testing::ensemble servers{
        {.count = 3, .tick_time = 2s, .init_limit = 10, .sync_limit = 5}};
    auto options = options_of(given);
    options.guardian = {};
    options.session_timeout = 30s;
    turnstile::client own{servers.connect_string(), options};
    if (!own.wait_connected(turnstile::testing::limit())) return 1;
    turnstile::mutex lock{own, k_path};
    std::vector<double> all;
    for (int i = 0; i != given.trials; ++i) {
        all.push_back(trial(lock, servers.connect_string(), given));
        std::cout << all.back() << std::endl;
    }
    std::sort(all.begin(), all.end());
    std::cout << "median " << all[all.size() / 2] << " worst " << all.back() << std::endl;
    return 0;
}

arguments parse(const std::string& program, char** values, int count) {
    return {program, values[0], std::stoi(values[1]),
            std::chrono::milliseconds{std::stol(values[2])},
            count < 4 || std::string{values[3]} != "off"};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc >= 6 && std::string{argv[1]} == "--hold")
        return hold(argv[2], parse(argv[0], argv + 3, argc - 3));
    if (argc < 4) return 2;
    return run(parse(argv[0], argv + 1, argc - 1));
}
