// SPDX-License-Identifier: Apache-2.0
// turnstile_simulate: replays a history from its seed, or plays many histories.
//
//     turnstile_simulate --seed 42 --trace
//     turnstile_simulate --seeds 1..2000 --jobs 2
//     turnstile_simulate --fresh 5
//
// Exits with 1 if a promise was broken. A sweep then shrinks the history of the lowest seed that broke a promise, and
// prints that history with the command that replays it. A run on fresh seeds (fresh.hpp) prints each seed that broke a
// promise.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <ratio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "simulation/fresh.hpp"
#include "simulation/fresh_turns.hpp"
#include "simulation/kinds.hpp"
#include "simulation/tool.hpp"
#include "verification/shrink.hpp"
#include "verification/simulator.hpp"

namespace {

namespace simulation = turnstile::simulation;
using namespace std::chrono_literals;

constexpr std::size_t k_enough_lines = 60;

struct arguments {
    turnstile::tests::seed_range seeds;
    bool single = false;
    unsigned jobs = 1;
    bool trace = false;
    turnstile::tests::history_kind kind{simulation::work_kind::locks};
    turnstile::tests::fresh_options fresh;
    bool keep_going = false;
    bool shrinking = true;
    simulation::reduction reduced;
};

// Declares the options of a run on fresh seeds: the minutes, and the source of the seeds.
void declare_fresh(CLI::App& app, arguments& into) {
    using turnstile::tests::fresh_turns;
    auto* const fresh = app.add_option_function<double>(
        "--fresh",
        [&into](double minutes) {
            into.fresh.length = std::chrono::duration<double, std::ratio<60>>{minutes};
        },
        fmt::format("plays histories of all kinds in turn for this number of minutes, {} of each "
                    "kind. The seeds "
                    "are consecutive from a random seed on, {} to {}, drawn from the clock. "
                    "Collects the seeds whose histories break a promise",
                    fresh_turns::k_block, fresh_turns::k_first, fresh_turns::k_last));
    fresh->check(CLI::Range(0.001, 100'000.0))->excludes("--seed")->excludes("--seeds");
    fresh->excludes("--work")->excludes("--lease-hunt")->excludes("--servers");
    app.add_option("--report", into.fresh.report,
                   "with --fresh: file into which the numbers of histories are written as a page")
        ->needs(fresh);
    app.add_option("--commit", into.fresh.commit,
                   "with --report: commit of the source, for the page")
        ->needs(fresh);
    app.add_option("--drawn-from", into.fresh.drawn_from,
                   "with --fresh: draws the same seeds as the run that printed this number")
        ->needs(fresh);
}

void declare(CLI::App& app, arguments& into) {
    auto* const single = app.add_option_function<std::uint64_t>(
        "--seed",
        [&into](std::uint64_t seed) {
            into.seeds = {seed, seed};
            into.single = true;
        },
        "plays one history");
    turnstile::tests::add_seeds_option(app, into.seeds)->excludes(single);
    app.add_option("--jobs", into.jobs, "number of histories that run at the same time")
        ->check(CLI::Range(1, 256));
    app.add_flag("--trace", into.trace, "prints all events of the history")->needs(single);
    auto* const hunt = app.add_flag_callback(
        "--lease-hunt", [&into] { into.kind.work.reset(); },
        "plays histories that attack the rule of the lease (lease_hunt.hpp)");
    std::vector<std::string> works;
    for (const auto work : simulation::k_work_kinds) works.emplace_back(to_string(work));
    app.add_option_function<std::string>(
           "--work",
           [&into](const std::string& name) {
               into.kind.work = *std::find_if(
                   simulation::k_work_kinds.begin(), simulation::k_work_kinds.end(),
                   [&name](simulation::work_kind work) { return to_string(work) == name; });
           },
           "what the clients do")
        ->check(CLI::IsMember(works))
        ->excludes(hunt);
    std::vector<std::string> servers;
    for (const auto kind : simulation::k_server_kinds) servers.emplace_back(to_string(kind));
    app.add_option_function<std::string>(
           "--servers",
           [&into](const std::string& name) {
               into.kind.servers = *std::find_if(
                   simulation::k_server_kinds.begin(), simulation::k_server_kinds.end(),
                   [&name](simulation::server_kind kind) { return to_string(kind) == name; });
           },
           "the servers: an ensemble of ZooKeeper, or one server of another kind")
        ->check(CLI::IsMember(servers))
        ->excludes(hunt);
    app.add_flag("--keep-going", into.keep_going, "does not stop at the first broken promise");
    app.add_flag("!--no-shrinking", into.shrinking,
                 "reports a broken promise without first looking for a shorter history");
    app.add_option("--clients", into.reduced.clients, "largest number of clients")
        ->check(CLI::PositiveNumber)
        ->needs(single);
    app.add_option("--rounds", into.reduced.rounds, "largest number of calls of a worker")
        ->check(CLI::PositiveNumber)
        ->needs(single);
    app.add_option_function<std::string>(
           "--only",
           [&into](const std::string& text) {
               try {
                   into.reduced.only = simulation::parse_numbers(text);
               } catch (const std::invalid_argument& wrong) {
                   throw CLI::ValidationError{"--only", wrong.what()};
               }
           },
           "numbers of the faults to keep, such as 3,7-9")
        ->needs(single);
    declare_fresh(app, into);
}

simulation::reduction shrink(const arguments& wanted, const simulation::outcome& broken) {
    fmt::print("shrinking seed {}\n", broken.seed);
    return simulation::shrink(
        broken.reduced, broken.clients, broken.drawn, [&](const simulation::reduction& smaller) {
            const auto tried = turnstile::tests::play(wanted.kind, broken.seed, smaller);
            return tried.invariant == broken.invariant;
        });
}

// Several threads play the histories of a range of seeds. Each history is a pure function of its seed.
class sweep {
public:
    explicit sweep(const arguments& wanted) : wanted_{wanted}, next_{wanted.seeds.first} {}

    void run() {
        const auto begin = std::chrono::steady_clock::now();
        {
            std::vector<std::jthread> players;
            for (unsigned i = 0; i != wanted_.jobs; ++i) players.emplace_back([this] { play(); });
        }
        took_ = std::chrono::steady_clock::now() - begin;
        if (isatty(STDERR_FILENO) != 0) std::cerr << '\r';
    }

    void print() const {
        fmt::print(
            "{} histories, {} events, {} grants, {} batches of removals, {} of creates; {:.0f} "
            "histories a second\n",
            histories_, events_, grants_, batches_, creation_batches_,
            static_cast<double>(histories_) / took_.count());
        if (doubles_ != 0)
            fmt::print(
                "{} holds that were valid beside another one, as their servers' promises let them; "
                "{} of them were refused by their tokens\n",
                doubles_, doubles_ - brought_back_);
        if (brought_back_ != 0)
            fmt::print(
                "{} were not: the servers forgot that a client had removed the later waiter\n",
                brought_back_);
        for (const auto& [name, count] : breaches_)
            fmt::print("{} broken in {} histories\n", name, count);
    }
    // The history of the lowest seed that breaks a promise. All lower seeds were played as well.
    [[nodiscard]] const std::optional<simulation::outcome>& first_breach() const {
        return first_breach_;
    }

private:
    void play() {
        while (!stopped_) {
            const auto seed = next_++;
            if (seed > wanted_.seeds.last || seed < wanted_.seeds.first) return;
            auto result = turnstile::tests::play(wanted_.kind, seed);
            const std::scoped_lock lock{mutex_};
            add(std::move(result));
        }
    }

    void add(simulation::outcome&& result) {
        ++histories_;
        events_ += result.events;
        grants_ += result.grants;
        batches_ += result.batches;
        creation_batches_ += result.creation_batches;
        doubles_ += result.double_holds;
        brought_back_ += result.brought_back;
        show_progress();
        if (!result.broken) return;
        ++breaches_[result.invariant];
        if (wanted_.keep_going)
            fmt::print("seed {}: {}: {}\n", result.seed, result.invariant, result.breach);
        stopped_ = !wanted_.keep_going;
        if (!first_breach_ || result.seed < first_breach_->seed) first_breach_ = std::move(result);
    }

    void show_progress() {
        const auto now = std::chrono::steady_clock::now();
        if (now < shown_ + 500ms || isatty(STDERR_FILENO) == 0) return;
        shown_ = now;
        std::cerr << fmt::format("\r{} of {} histories", histories_,
                                 wanted_.seeds.last - wanted_.seeds.first + 1)
                  << std::flush;
    }

    const arguments& wanted_;
    std::atomic<std::uint64_t> next_;
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::uint64_t histories_ = 0;
    std::uint64_t events_ = 0;
    std::uint64_t grants_ = 0;
    std::uint64_t batches_ = 0;
    std::uint64_t creation_batches_ = 0;
    std::uint64_t doubles_ = 0;
    std::uint64_t brought_back_ = 0;
    std::map<std::string, std::uint64_t> breaches_;
    std::optional<simulation::outcome> first_breach_;
    std::chrono::steady_clock::time_point shown_;
    std::chrono::duration<double> took_{};
};

int play_one(const arguments& wanted) {
    const auto result = turnstile::tests::play(wanted.kind, wanted.seeds.first, wanted.reduced,
                                               simulation::trace::detail::full);
    if (wanted.trace) {
        fmt::print("{}\n", result.scenario);
        for (const auto& line : result.story) fmt::print("{}\n", line);
    }
    fmt::print(
        "seed {}: {} events, {} grants, {} batches, {} things went wrong, fingerprint {:016x}\n",
        result.seed, result.events, result.grants, result.batches, result.disturbances.size(),
        result.fingerprint);
    if (result.broken) fmt::print("{}", result.report(wanted.trace ? 0 : k_enough_lines));
    return result.broken ? 1 : 0;
}

int play_many(const arguments& wanted) {
    sweep all{wanted};
    all.run();
    all.print();
    if (!all.first_breach()) return 0;
    const auto& broken = *all.first_breach();
    const auto smaller = wanted.shrinking ? shrink(wanted, broken) : broken.reduced;
    fmt::print("{}", turnstile::tests::play(wanted.kind, broken.seed, smaller,
                                            simulation::trace::detail::full)
                         .report(k_enough_lines));
    return 1;
}

int run(arguments& wanted) {
    if (wanted.fresh.length.count() > 0) {
        wanted.fresh.jobs = wanted.jobs;
        if (wanted.fresh.drawn_from == 0) {
            const auto now = std::chrono::system_clock::now().time_since_epoch();
            wanted.fresh.drawn_from = static_cast<std::uint64_t>(now.count());
        }
        return turnstile::tests::play_fresh(wanted.fresh);
    }
    return wanted.single ? play_one(wanted) : play_many(wanted);
}

}  // namespace

int main(int count, char** words) {
    CLI::App app{"Plays histories of the shipped core on a modelled ensemble, from seeds."};
    arguments wanted;
    declare(app, wanted);
    return turnstile::tests::run_tool(app, count, words, [&wanted] { return run(wanted); });
}
