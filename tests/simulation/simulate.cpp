// turnstile_simulate: replays a history from its seed, or sweeps over many.
//
//     turnstile_simulate --seed 42 --trace
//     turnstile_simulate --seeds 1..2000
//
// Exits with 1 if a promise was broken; prints the seed, the promise and the story's end.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "simulation/simulator.hpp"

namespace {

namespace simulation = turnstile::simulation;

struct arguments {
    std::uint64_t first = 1;
    std::uint64_t last = 1000;
    bool trace = false;
    bool keep_going = false;
};

[[noreturn]] void usage() {
    std::cerr << "usage: turnstile_simulate [--seed N | --seeds A..B] [--trace] [--keep-going]\n";
    std::exit(2);
}

arguments parse(int count, char** words) {
    arguments result;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        const std::string value = i + 1 < count ? words[i + 1] : "";
        if (word == "--trace") {
            result.trace = true;
        } else if (word == "--keep-going") {
            result.keep_going = true;
        } else if (word == "--seed" && !value.empty()) {
            result.first = result.last = std::stoull(value);
            ++i;
        } else if (word == "--seeds" && value.find("..") != std::string::npos) {
            result.first = std::stoull(value);
            result.last = std::stoull(value.substr(value.find("..") + 2));
            ++i;
        } else {
            usage();
        }
    }
    return result;
}

int run(const arguments& wanted) {
    const auto begin = std::chrono::steady_clock::now();
    std::map<std::string, std::uint64_t> broken;
    std::uint64_t events = 0;
    std::uint64_t grants = 0;
    std::uint64_t histories = 0;
    for (auto seed = wanted.first; seed <= wanted.last; ++seed) {
        auto result = simulation::simulate(
            seed, wanted.trace ? simulation::trace::detail::full : simulation::trace::detail::none);
        ++histories;
        events += result.events;
        grants += result.grants;
        if (wanted.trace) {
            std::cout << result.scenario << '\n';
            for (const auto& line : result.story) std::cout << line << '\n';
        }
        if (!result.broken) continue;
        if (broken[result.invariant]++ == 0 && !wanted.trace)
            std::cout << simulation::simulate(seed, simulation::trace::detail::full).report();
        if (wanted.keep_going)
            std::cout << "seed " << seed << ' ' << result.invariant << ' ' << result.what << '\n';
        if (!wanted.keep_going) break;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << histories << " histories, " << events << " events, " << grants << " grants, "
              << static_cast<double>(histories) / took.count() << " histories a second\n";
    for (const auto& [name, count] : broken)
        std::cout << name << " broken in " << count << " histories\n";
    return broken.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run(parse(count, words));
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 2;
    }
}
