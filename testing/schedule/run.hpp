// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "schedule/plan.hpp"
#include "schedule/record.hpp"
#include "schedule/scheduler.hpp"

namespace turnstile::schedule {

// A record in memory that a process shares with its forks. Not thread-safe.
class shared_record {
public:
    shared_record();  // may throw std::system_error
    ~shared_record();
    shared_record(const shared_record&) = delete;
    shared_record& operator=(const shared_record&) = delete;

    [[nodiscard]] record& operator*() const noexcept { return *record_; }
    [[nodiscard]] record* operator->() const noexcept { return record_; }
    void clear() const;

private:
    record* record_;
};

// Runs `work` in a forked process, as the first thread of the run. The run ends when `work` returns. Returns why the
// run failed, or nothing; `into` has the details. `patience` limits the real time, in case the run blocks where the
// scheduler cannot see it. Throws std::system_error. The calling process must have a single thread.
std::optional<std::string> run_apart(const plan& how, record& into, scheduler::endurance lasts,
                                     std::chrono::seconds patience,
                                     const std::function<void(scheduler&)>& work);

// Fails the calling thread's run. Throws std::runtime_error if there is no run.
[[noreturn]] void violated(const std::string& description);
inline void require(bool good, const char* description) {
    if (!good) violated(description);
}

// Restarts the program with fixed addresses, unless it has them.
void fixed_addresses(char** arguments);

}  // namespace turnstile::schedule
