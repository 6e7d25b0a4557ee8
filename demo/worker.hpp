// SPDX-License-Identifier: Apache-2.0
// worker: a process that sells the stock, one item a turn, with the lock or without.
//
// It reports what it does as events over the pipe `events` in the folder, and takes commands from
// the pipe named after it there. When the director goes away the command pipe ends, and so does the
// worker, wherever it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "record.hpp"

namespace demo {

struct worker_settings {
    int index = 0;
    std::filesystem::path folder;
    std::string servers;                    // connect string; empty: sell without a lock
    std::filesystem::path guardian;         // the program; empty: the worker has no guardian
    std::chrono::microseconds work{8'000};  // the mean time between reading and writing the stock
    run_settings run;
};

// The command pipe of a worker.
[[nodiscard]] std::filesystem::path command_pipe(const std::filesystem::path& folder, int index);

// Runs a worker to its end; returns the exit status of its process.
[[nodiscard]] int run_worker(const worker_settings& settings);

}  // namespace demo
