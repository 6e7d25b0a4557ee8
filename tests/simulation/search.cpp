// SPDX-License-Identifier: Apache-2.0
// turnstile_search: plays every interleaving of a few clients and a few faults.
//
//     turnstile_search --clients 2 --faults 2
//
// Prints the numbers of states and histories. Exits with 1 if a promise was broken, and prints the shortest history
// that breaks it. Exits with 2 if the arguments are invalid.
#include <chrono>
#include <iostream>
#include <map>
#include <new>
#include <string>

#include <CLI/CLI.hpp>

#include "simulation/tool.hpp"
#include "verification/search/search.hpp"

namespace {

namespace search = turnstile::search;

const std::map<std::string, search::wrong_world> k_worlds{
    {"early-expiry", search::wrong_world::early_expiry},
    {"late-writes", search::wrong_world::late_writes},
    {"lost-watch", search::wrong_world::lost_watch},
    {"blind-list", search::wrong_world::blind_list},
    {"herd", search::wrong_world::herd}};
const std::map<std::string, search::unanswered> k_moments{
    {"after-detached", search::unanswered::after_detached},
    {"before-detached", search::unanswered::before_detached},
    {"after-attached", search::unanswered::after_attached}};

void declare(CLI::App& app, search::bounds& into) {
    app.add_option("--clients", into.clients,
                   "number of clients, each of which acquires and releases the one lock")
        ->check(CLI::Range(1U, search::k_most_clients))
        ->capture_default_str();
    app.add_option(
           "--faults", into.faults,
           "number of faults in a history: cut connections, silent servers, crashes, callers "
           "that give up, deleted znodes")
        ->check(CLI::Range(0U, 9U))
        ->capture_default_str();
    app.add_option("--depth", into.depth, "largest number of steps of a history")
        ->check(CLI::Range(1U, 1'000'000U))
        ->capture_default_str();
    app.add_option("--rounds", into.rounds, "number of calls of each client")
        ->check(CLI::Range(1U, 9U))
        ->capture_default_str();
    app.add_option("--early-timers", into.early_timers,
                   "number of timers that may run while messages are under way")
        ->check(CLI::Range(0U, 9U))
        ->capture_default_str();
    app.add_option("--states", into.states,
                   "number of states after which the search stops; a state takes about 50 bytes")
        ->check(CLI::Range(std::size_t{1}, std::size_t{4'000'000'000}))
        ->capture_default_str();
    app.add_option_function<std::string>(
           "--unanswered", [&into](const std::string& name) { into.told = k_moments.at(name); },
           "moment at which the server's handle reports that the requests of a broken connection "
           "have "
           "no answer (default: after-detached)")
        ->check(CLI::IsMember(&k_moments));
    app.add_option_function<std::string>(
           "--wrong", [&into](const std::string& name) { into.wrong = k_worlds.at(name); },
           "break this assumption of the lock, to test that the search finds the fault")
        ->check(CLI::IsMember(&k_worlds));
}

int run(const search::bounds& limits) {
    const auto begin = std::chrono::steady_clock::now();
    const auto found = search::search_all(limits);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << limits.clients << " clients, " << limits.faults << " faults: " << found.report()
              << took.count() << " s\n";
    return found.breach.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    CLI::App app{"Goes through every interleaving of a few clients and a few faults."};
    search::bounds limits;
    declare(app, limits);
    return turnstile::tests::run_tool(app, count, words, [&limits] {
        try {
            return run(limits);
        } catch (const std::bad_alloc&) {
            std::cerr << "turnstile_search: out of memory; --states bounds it\n";
            return 2;
        }
    });
}
