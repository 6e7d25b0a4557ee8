// SPDX-License-Identifier: Apache-2.0
// processes: the processes of the demo. demo.py sends a command as a line of standard input; an answer or an event is
// a line of standard output. A process ends when its standard input ends.
//
// Thread safety: each function is called once, in the process's main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace demo {

struct settings {
    std::filesystem::path folder;  // folder of the stock, the sales, and a database's file
    std::string
        servers;  // server: the kind; worker: the connect string, empty to sell without a lock
    std::chrono::milliseconds session_timeout{};
    std::chrono::milliseconds tick{};
    // Settings of a worker.
    int index = 0;                     // counted from 1
    std::string guardian;              // the program's path; empty: none
    std::chrono::microseconds work{};  // mean time between reading and writing the stock
    std::uint32_t seed = 0;
};

// Runs a private server of the kind, or uses a file in place of a server. Prints the connect string and the servers'
// clock (milliseconds since 1970) beside CLOCK_BOOTTIME (nanoseconds); answers "kill" and "start" with "done".
int run_server(const settings& given);
// Sells the stock, one item a turn. record.py lists its events; its commands are start, park and go.
int run_worker(const settings& given);

}  // namespace demo
