// SPDX-License-Identifier: Apache-2.0
// run: runs a function once under a scheduler, in a separate process.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "schedule/plan.hpp"
#include "schedule/record.hpp"
#include "schedule/scheduler.hpp"

namespace turnstile::schedule {

// A record in memory that a process shares with its forks. Thread safety: none.
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

// Runs `work` in a fork. `work` is the first thread of the run, and the run ends when it returns. Returns nothing if
// the run passed, otherwise the reason; the record has the details. `patience` limits the real time of a run that is
// blocked without the scheduler's knowledge. Throws std::system_error. The calling process must have a single thread.
std::optional<std::string> run_apart(const plan& how, record& into, scheduler::endurance lasts,
                                     std::chrono::seconds patience,
                                     const std::function<void(scheduler&)>& work);

// Fails the run of the calling thread. Outside of a run, throws std::runtime_error.
[[noreturn]] void violated(const std::string& description);
inline void require(bool good, const char* description) {
    if (!good) violated(description);
}

// Restarts the program with fixed addresses, unless its addresses are fixed already.
void fixed_addresses(char** arguments);

}  // namespace turnstile::schedule
