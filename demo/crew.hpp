// SPDX-License-Identifier: Apache-2.0
// crew: the worker processes of one run, and the pipes to them.
//
// Thread safety: one thread. The workers die with the crew, and with this process however it ends.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "events.hpp"
#include "stock_file.hpp"
#include "turnstile/testing/process.hpp"
#include "worker.hpp"

namespace demo {

class crew {
public:
    // Starts the workers 1 to settings.run.workers; `settings.index` is set for each. The worker `guarded` has a
    // guardian; 0: none has.
    explicit crew(worker_settings settings, int guarded = 0);

    [[nodiscard]] int size() const noexcept { return static_cast<int>(processes_.size()); }
    [[nodiscard]] pid_t pid(int worker) const;
    [[nodiscard]] bool running(int worker) const;

    void tell(int worker, std::string_view command);
    void tell_all(std::string_view command);

    // What the workers have reported; waits for a first event no longer than this.
    [[nodiscard]] std::vector<event> listen(std::chrono::milliseconds at_most);

    // Signals; each returns the event with the time just before it.
    event kill(int worker);    // SIGKILL
    event pause(int worker);   // SIGSTOP
    event resume(int worker);  // SIGCONT

    // What the worker wrote to its standard output and error: the library's warnings, for example.
    [[nodiscard]] std::string log(int worker) const;

private:
    [[nodiscard]] turnstile::testing::process& process_of(int worker);

    std::filesystem::path folder_;
    open_file events_;
    std::string unfinished_;           // the bytes after the last whole line
    std::vector<open_file> commands_;  // by worker
    std::vector<turnstile::testing::process> processes_;
};

}  // namespace demo
