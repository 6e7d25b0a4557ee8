// SPDX-License-Identifier: Apache-2.0
// processes: what a process of the demo is, and how demo.py talks to it: a command is a line of standard input, an answer
// or an event a line of standard output. A process ends when its standard input does.
//
// Thread safety: each function is called once, in the process's main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace demo {

struct settings {
    std::filesystem::path folder;  // of the stock and the sales, and of a database's file
    std::string
        servers;  // server: the kind; worker: the connect string, empty to sell without a lock
    std::chrono::milliseconds session_timeout{};
    std::chrono::milliseconds tick{};
    // Of a worker alone.
    int index = 0;                     // counted from 1
    std::string guardian;              // the program's path; empty: none
    std::chrono::microseconds work{};  // the mean time between reading and writing the stock
    std::uint32_t seed = 0;
};

// A private server of the kind, or a file in place of a server. Prints the connect string and the servers' clock
// (milliseconds since 1970) beside CLOCK_BOOTTIME (nanoseconds); answers "kill" and "start" with "done".
int run_server(const settings& given);
// Sells the stock, one item a turn. Its events are in record.py, its commands start, park and go.
int run_worker(const settings& given);

}  // namespace demo
