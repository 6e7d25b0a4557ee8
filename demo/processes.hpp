// SPDX-License-Identifier: Apache-2.0
// processes: the processes of the demo, which demo.py directs. demo.py writes each command as a line to the process's
// standard input. The process prints each answer or event as a line, and ends when its standard input ends.
//
// Thread safety: the process calls each function once, in its main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace demo {

struct settings {
    std::filesystem::path folder;  // folder of the stock, the sales, and the database's file
    std::string
        servers;  // server: its kind; worker: the connect string, or empty to sell without a lock
    std::chrono::milliseconds session_timeout{};
    std::chrono::milliseconds tick{};
    // The following settings are for a worker.
    int index = 0;                     // counted from 1
    std::string guardian;              // path of the guardian's program; empty: no guardian
    std::chrono::microseconds work{};  // mean time between reading and writing the stock
    std::uint32_t seed = 0;
};

// Runs a private server of the kind that `given.servers` names, or uses a file for a kind without a server. Prints the
// connect string, the servers' clock (milliseconds since 1970), and CLOCK_BOOTTIME at the same moment (nanoseconds).
// Executes the commands "kill" and "start", and answers each command with "done".
int run_server(const settings& given);
// Sells the stock, one item for each hold of the lock. record.py lists the events that the worker prints. The worker
// begins at the command "start". At the command "park" the worker keeps its hold, after it has read the stock, until
// the command "go".
int run_worker(const settings& given);

}  // namespace demo
