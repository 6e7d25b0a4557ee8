// SPDX-License-Identifier: Apache-2.0
// run_options: the options of `turnstile run`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/keeping_options.hpp"
#include "cli/servers.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

// | kind      | excludes, on the same path            | is the same lock as                                          |
// |-----------|---------------------------------------|--------------------------------------------------------------|
// | mutex     | mutex                                 | mutex, Curator's InterProcessMutex, Go's Lock                |
// | exclusive | exclusive and shared                  | a writer of shared_mutex, Curator's InterProcessReadWriteLock |
// | shared    | exclusive                             | a reader of shared_mutex, Curator's InterProcessReadWriteLock |
// | permits   | permits above the limit               | semaphore                                                    |
enum class wanted_kind { mutex, exclusive, shared, permits };

struct permit_share {
    std::int32_t taken = 0;
    std::int32_t limit = 0;
};

struct run_options {
    std::vector<std::string> paths;
    keeping_options keeping;
    server_settings servers;
    wanted_kind kind = wanted_kind::mutex;
    permit_share permits;
    bool try_only = false;
    bool reenter = false;  // uses the hold of an outer run
    bool quiet = false;
    std::chrono::milliseconds wait{0};  // 0: for ever, unless try_only
    std::chrono::milliseconds max_hold{0};
    std::chrono::milliseconds lock_delay{0};
    std::chrono::milliseconds once_per{0};  // 0: each time
    int not_due_exit_code = 0;
    int conflict_exit_code = k_busy;
    std::string label;
};

// Adds the options of `run` to its subcommand. CLI11 stores the parsed values in `options`.
void add_run_options(CLI::App& run, run_options& options);

// Parses a text such as "2/5". "5" means one permit of five. Throws CLI::ValidationError.
[[nodiscard]] permit_share parse_permits(const std::string& text);

// Checks that the options are compatible, sets the contender's label, and adds the shell before the command, if
// requested. Throws CLI::ValidationError.
void finish(run_options& options);
// Stores the paths and the command after "--" in `options`, and then calls finish(options). Throws CLI::Error.
void finish(run_options& options, const CLI::App& run, std::vector<std::string> command);

}  // namespace turnstile::cli
