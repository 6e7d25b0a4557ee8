// turnstile_search: every interleaving of a few clients and a few faults.
//
//     turnstile_search --clients 2 --faults 2
//
// Prints the numbers of states and histories. Exits with 1 if a promise was broken, and prints the
// shortest way there; with 2 if the arguments make no sense.
#include <charconv>
#include <chrono>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "search/search.hpp"

namespace {

namespace search = turnstile::search;

constexpr const char* k_usage =
    R"(usage: turnstile_search [--clients N] [--faults N] [--depth N] [--rounds N]
                        [--early-timers N] [--unanswered WHEN] [--states N]
                        [--wrong WORLD]

Goes through every interleaving of N clients that take one lock and give it back.

  --clients N       1 to 3 (default 2)
  --faults N        0 to 9 faults in a history: cut connections, silence, crashes,
                    callers who give up, znodes deleted by hand (default 1)
  --depth N         histories of at most N steps (default 1000)
  --rounds N        1 to 9 acquisitions of each client (default 1)
  --early-timers N  0 to 9 timers that run while messages are under way (default 0)
  --unanswered WHEN when a handle tells that a broken connection's requests have no
                    answer: after-detached (default), before-detached, after-attached
  --states N        stop after N states (default 50000000; one takes about 50 bytes)
  --wrong WORLD     break what the lock relies on, to see it caught: early-expiry,
                    late-writes, lost-watch, blind-list or herd
  -h, --help        print this
)";

class bad_arguments : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class T>
T number(std::string_view name, std::string_view text, T least, T most) {
    T value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        throw bad_arguments{std::string{name} + ": '" + std::string{text} +
                            "' is not a number from " + std::to_string(least) + " to " +
                            std::to_string(most)};
    return value;
}

search::wrong_world world(std::string_view text) {
    if (text == "early-expiry") return search::wrong_world::early_expiry;
    if (text == "late-writes") return search::wrong_world::late_writes;
    if (text == "lost-watch") return search::wrong_world::lost_watch;
    if (text == "blind-list") return search::wrong_world::blind_list;
    if (text == "herd") return search::wrong_world::herd;
    throw bad_arguments{"--wrong: no world '" + std::string{text} + "'; see --help"};
}

search::unanswered moment(std::string_view text) {
    if (text == "after-detached") return search::unanswered::after_detached;
    if (text == "before-detached") return search::unanswered::before_detached;
    if (text == "after-attached") return search::unanswered::after_attached;
    throw bad_arguments{"--unanswered: no moment '" + std::string{text} + "'; see --help"};
}

void set(search::bounds& limits, std::string_view name, std::string_view value) {
    if (name == "--clients") {
        limits.clients = number(name, value, 1U, search::k_most_clients);
    } else if (name == "--faults") {
        limits.faults = number(name, value, 0U, 9U);
    } else if (name == "--depth") {
        limits.depth = number(name, value, 1U, 1'000'000U);
    } else if (name == "--rounds") {
        limits.rounds = number(name, value, 1U, 9U);
    } else if (name == "--early-timers") {
        limits.early_timers = number(name, value, 0U, 9U);
    } else if (name == "--states") {
        limits.states = number<std::size_t>(name, value, 1, 4'000'000'000U);
    } else if (name == "--unanswered") {
        limits.told = moment(value);
    } else if (name == "--wrong") {
        limits.wrong = world(value);
    } else {
        throw bad_arguments{"unknown argument '" + std::string{name} + "'; see --help"};
    }
}

int run(int count, char** words) {
    search::bounds limits;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = words[i];
        if (name == "-h" || name == "--help") {
            std::cout << k_usage;
            return 0;
        }
        if (!name.starts_with("--"))
            throw bad_arguments{"unknown argument '" + std::string{name} + "'; see --help"};
        set(limits, name, i + 1 < count ? words[i + 1] : "");
        ++i;
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto found = search::search_all(limits);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << limits.clients << " clients, " << limits.faults << " faults: " << found.report()
              << took.count() << " s\n";
    return found.breach.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run(count, words);
    } catch (const bad_arguments& failure) {
        std::cerr << "turnstile_search: " << failure.what() << '\n';
    } catch (const std::bad_alloc&) {
        std::cerr << "turnstile_search: out of memory; --states bounds it\n";
    }
    return 2;
}
