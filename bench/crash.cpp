// SPDX-License-Identifier: Apache-2.0
// Measures the time from the SIGKILL of a holder to the grant of the next waiter, on three ZooKeeper servers or on
// another kind of server.
//
//     turnstile_bench_crash GUARDIAN TRIALS S [on|off] [redis|postgresql|mariadb]
//                                                       GUARDIAN: the path of turnstile-guardian, which closes
//                                                       the sessions of dead processes; S: the session timeout in
//                                                       milliseconds; on, off: with or without a guardian
//     turnstile_bench_crash CLASSES TRIALS S curator    Curator's mutex; CLASSES: the folder of CuratorCrash.class
//
// In each trial a separate process takes the lock, and a client queues behind it, in this process or (Curator) in
// another process. Then the holder is killed. The result is the time from the kill to the grant. Prints each result in
// milliseconds, then the median and the worst, and the machine's load before and after.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/mariadb_server.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr const char* k_path = "/bench/crash";
constexpr auto k_waiting = 30s;  // session timeout of the waiter

struct arguments {
    std::string program;
    std::string guardian;  // path of the guardian; with Curator, the folder of its class
    int trials = 0;
    std::chrono::milliseconds session{};
    bool guarded = true;
    bool curator = false;
    std::string kind{};  // kind of server; empty: ZooKeeper
};

turnstile::client_options options_of(const arguments& given) {
    turnstile::client_options options;
    options.session_timeout = given.session;
    if (given.guarded) options.guardian = {turnstile::guardian_use::started, given.guardian};
    return options;
}

// Holds the lock until the parent process kills this process. The parent starts this program with `--hold CONNECT` and
// the parent's arguments.
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
    std::this_thread::sleep_for(50ms);  // until the waiter has set its watch
    const auto killed = clock_type::now();
    ::kill(holder.pid(), SIGKILL);
    waiter.join();
    return std::chrono::duration<double, std::milli>(granted - killed).count();
}

// Runs the trials. In each trial a thread of this process waits for the lock with a turnstile::mutex, until the holder
// is killed.
std::vector<double> trials_of_ours(turnstile::client& own, const std::string& servers,
                                   const arguments& given) {
    turnstile::mutex lock{own, k_path};
    std::vector<double> all;
    for (int i = 0; i != given.trials; ++i) {
        all.push_back(trial(lock, servers, given));
        std::cout << all.back() << std::endl;
    }
    return all;
}

// Returns the time of the waiter's grant in this trial, since 1970.
std::chrono::microseconds granted_at(const turnstile::testing::process& waiter, int trial,
                                     std::chrono::milliseconds session) {
    const auto words = "granted " + std::to_string(trial) + " ";
    // The waiter prints a dot at the end of each line. The dot shows that the line is complete.
    if (!turnstile::testing::eventually(
            [&] {
                const auto text = waiter.output();
                const auto at = text.find(words);
                return at != std::string::npos && text.find(" .", at) != std::string::npos;
            },
            4 * session))
        throw std::runtime_error{waiter.output()};
    const auto text = waiter.output();
    return std::chrono::microseconds{std::stoll(text.substr(text.find(words) + words.size()))};
}

std::vector<double> trials_of_curator(turnstile::client& own, const std::string& servers,
                                      const arguments& given) {
    const turnstile::testing::temporary_folder folder;
    const turnstile::testing::java_program peer{"CuratorCrash", given.guardian};
    const std::string root = "/bench/curator";
    const auto waiter =
        peer.start({servers, std::to_string(std::chrono::milliseconds{k_waiting}.count()), "wait",
                    root, std::to_string(given.trials)},
                   folder.path() / "waiter");
    std::vector<double> all;
    for (int i = 0; i != given.trials; ++i) {
        const auto path = root + '/' + std::to_string(i);
        const auto holder =
            peer.start({servers, std::to_string(given.session.count()), "hold", path},
                       folder.path() / ("holder-" + std::to_string(i)));
        if (!holder.wait_for_output("held")) throw std::runtime_error{holder.output()};
        const turnstile::mutex seen{own, path};  // queues with Curator's contenders
        while (seen.queue().value().size() < 2) std::this_thread::sleep_for(5ms);
        std::this_thread::sleep_for(50ms);
        const auto killed = std::chrono::system_clock::now().time_since_epoch();
        ::kill(holder.pid(), SIGKILL);
        const auto granted = granted_at(waiter, i, given.session);
        all.push_back(std::chrono::duration<double, std::milli>(granted - killed).count());
        std::cout << all.back() << std::endl;
    }
    return all;
}

std::string load() {
    std::string text;
    std::getline(std::ifstream{"/proc/loadavg"}, text);
    return text;
}

int measure(const std::string& servers, const arguments& given) {
    turnstile::client own{servers, {.session_timeout = k_waiting}};
    if (!own.wait_connected(turnstile::testing::limit())) return 1;
    const auto load_before = load();
    auto all = given.curator ? trials_of_curator(own, servers, given)
                             : trials_of_ours(own, servers, given);
    std::sort(all.begin(), all.end());
    std::cout << "median " << all[all.size() / 2] << " worst " << all.back() << "\nload before "
              << load_before << "\nload after " << load() << std::endl;
    return 0;
}

template <class Server>
int run_on(const arguments& given) {
    Server server;
    server.start();
    return measure(server.connect_string(), given);
}

int run(const arguments& given) {
    if (given.kind == "redis") return run_on<turnstile::testing::redis_server>(given);
    if (given.kind == "postgresql") return run_on<turnstile::testing::postgres_server>(given);
    if (given.kind == "mariadb") return run_on<turnstile::testing::mariadb_server>(given);
    const turnstile::testing::ensemble servers{
        {.count = 3, .tick_time = 2s, .init_limit = 10, .sync_limit = 5}};
    return measure(servers.connect_string(), given);
}

arguments parse(const std::string& program, char** values, int count) {
    return {program,
            values[0],
            std::stoi(values[1]),
            std::chrono::milliseconds{std::stol(values[2])},
            count < 4 || std::string{values[3]} == "on",
            count > 3 && std::string{values[3]} == "curator",
            count > 4 ? values[4] : ""};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc >= 6 && std::string{argv[1]} == "--hold")
        return hold(argv[2], parse(argv[0], argv + 3, argc - 3));
    if (argc < 4) return 2;
    return run(parse(argv[0], argv + 1, argc - 1));
}
