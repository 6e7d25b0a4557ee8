// SPDX-License-Identifier: Apache-2.0
// protocol: the commands by which the benchmarks' driver controls a peer, and the code that the peers in C++ share.
//
// The driver starts a peer with the address of a server. The peer connects to the server and prints a greeting:
//
//     ok version=3.8.0 commands=cycle,contend
//
// Then the peer answers each line of its standard input with one line. The input line is a command with its arguments;
// the answer is "ok NAME=VALUE..." or "error TEXT". The peer ends when its input ends. Values are numbers, lists of
// numbers with commas between them, or words. Times are in microseconds. Instants (BEGIN, END) are times of the system
// clock, so that several processes can begin and end together. The greeting lists the commands that the peer has:
//
//     cycle PATH COUNT           takes and releases a free lock COUNT times, and waits for the confirmation of each
//                                release; answers us=LIST, the times of the cycles
//     unlock PATH COUNT          does the same as `cycle`, but does not wait for the confirmations
//     contend PATH BEGIN END     takes and releases a lock until END; answers grants=N, the grants between BEGIN and
//                                END, and all=N, all grants
//     threads PATH T BEGIN END   does the same as `contend`, in T threads
//     drain PATH COUNT           makes a queue of COUNT waiters in this process, and then empties the queue; answers
//                                enqueue_us=N, the time of the filling, and us=N, the time from the release that
//                                starts the emptying to the release of the last waiter
//
// crowd.hpp describes saturate and pace. The modules in measures/ describe the commands that only one peer has.
//
// Thread safety: any thread may call the functions; only one thread may call serve().
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace bench {

using arguments = std::vector<std::string>;
using command = std::function<std::string(const arguments&)>;  // returns "NAME=VALUE..." or throws
using commands = std::map<std::string, command>;

inline std::int64_t number(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument{"'" + text + "' is not a whole number"};
    return value;
}

// Returns the time of the system clock in microseconds.
inline std::int64_t now_us() {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Formats times as "us=LIST".
template <class Times>
std::string list_of(const Times& times) {
    std::ostringstream out;
    out << "us=";
    for (bool first = true; const auto& time : times)
        out << (std::exchange(first, false) ? "" : ",") << time;
    return out.str();
}

// Calls `cycle` `count` times. Returns the time of each call as "us=LIST".
template <class F>
std::string timed(std::int64_t count, F&& cycle) {
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto start = std::chrono::steady_clock::now();
        cycle();
        times.push_back(
            std::chrono::duration<double, std::micro>{std::chrono::steady_clock::now() - start}
                .count());
    }
    return list_of(times);
}

// Counts the grants between two instants.
struct grant_count {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t grants = 0;
    std::int64_t all = 0;

    void granted() {
        const auto now = now_us();
        ++all;
        if (begin <= now && now < end) ++grants;
    }
    [[nodiscard]] bool over() const { return now_us() >= end; }
    void add(const grant_count& other) {
        grants += other.grants;
        all += other.all;
    }
    [[nodiscard]] std::string text() const {
        return "grants=" + std::to_string(grants) + " all=" + std::to_string(all);
    }
};

// Calls `cycle(count)` again and again until the time `end`. `cycle` takes and releases the lock, and calls
// count.granted(). Returns the counts.
template <class F>
grant_count count_until(std::int64_t begin, std::int64_t end, F&& cycle) {
    grant_count count{begin, end};
    while (!count.over()) cycle(count);
    return count;
}

// Runs count_until() in several threads. When all have ended, rethrows an exception of a thread. Returns "grants=N
// all=N".
template <class F>
std::string count_by_threads(std::int64_t threads, std::int64_t begin, std::int64_t end,
                             F&& cycle) {
    std::vector<std::future<grant_count>> running;
    for (std::int64_t i = 0; i < threads; ++i)
        running.push_back(
            std::async(std::launch::async, [&] { return count_until(begin, end, cycle); }));
    for (const auto& run : running) run.wait();
    grant_count sum;
    for (auto& run : running) sum.add(run.get());
    return sum.text();
}

// Prints the peer's greeting, and answers commands until the input ends.
inline void serve(const std::string& version, const commands& known) {
    std::cout << "ok version=" << version << " commands=";
    for (bool first = true; const auto& [name, unused] : known)
        std::cout << (std::exchange(first, false) ? "" : ",") << name;
    std::cout << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words{line};
        std::string name;
        words >> name;
        arguments given;
        for (std::string word; words >> word;) given.push_back(word);
        try {
            const auto found = known.find(name);
            if (found == known.end()) throw std::invalid_argument{"no command '" + name + "'"};
            std::cout << "ok " << found->second(given) << std::endl;
        } catch (const std::exception& failure) {
            std::cout << "error " << failure.what() << std::endl;
        }
    }
}

}  // namespace bench
