// SPDX-License-Identifier: Apache-2.0
// Measures the entries a second through one rate_gate. The gate's rule never makes a caller wait, so the result is the
// cost of the gate itself.
//
//     turnstile_bench_rate CONNECT_STRING SESSIONS SECONDS
//
// The program starts SESSIONS clients, each with one thread. The rule allows 1,000,000 entries a day, so the gate's
// data count the entries of a time slot, and do not keep each entry. Prints a line of JSON.
#include <atomic>
#include <charconv>
#include <chrono>
#include <exception>
#include <iostream>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;

struct arguments {
    std::string servers;
    std::size_t sessions = 0;
    std::chrono::seconds length{};
};

std::size_t number(const std::string& text) {
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || value == 0)
        throw std::invalid_argument{"'" + text + "' is no number from 1 on"};
    return value;
}

arguments parse(const std::vector<std::string>& given) {
    if (given.size() != 3) throw std::invalid_argument{"expected CONNECT_STRING SESSIONS SECONDS"};
    return {given[0], number(given[1]), std::chrono::seconds{number(given[2])}};
}

// Counts the entries in a span of time, which begins when all sessions are connected and have entered once.
std::size_t measure(const arguments& wanted) {
    std::atomic<std::size_t> entered{0};
    std::atomic<bool> counts{false};
    std::atomic<bool> over{false};
    std::latch ready{static_cast<std::ptrdiff_t>(wanted.sessions) + 1};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i != wanted.sessions; ++i)
        threads.emplace_back([&] {
            const turnstile::client servers{wanted.servers};
            turnstile::rate_gate gate{
                servers,
                "/turnstile-bench-rate",
                {.entries = turnstile::rate_gate::k_most_entries, .period = 24h}};
            gate.enter({.timeout = 1min}).value();
            ready.arrive_and_wait();
            while (!over) {
                gate.enter({.timeout = 1min}).value();
                if (counts) ++entered;
            }
        });
    ready.arrive_and_wait();
    counts = true;
    std::this_thread::sleep_for(wanted.length);
    counts = false;
    over = true;
    return entered;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto wanted = parse({argv + 1, argv + argc});
        const auto entered = measure(wanted);
        std::cout << "{\"sessions\":" << wanted.sessions << ",\"entries_per_second\":"
                  << static_cast<double>(entered) / static_cast<double>(wanted.length.count())
                  << "}\n";
        return 0;
    } catch (const std::exception& failure) {
        std::cerr << "turnstile_bench_rate: " << failure.what() << '\n';
        return 2;
    }
}
