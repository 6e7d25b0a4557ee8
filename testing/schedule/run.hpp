// SPDX-License-Identifier: Apache-2.0
// run: one run of a function under a scheduler, in a separate process.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "schedule/plan.hpp"
#include "schedule/record.hpp"
#include "schedule/scheduler.hpp"

namespace turnstile::schedule {

// A record in memory that forks share. Thread safety: none.
class shared_record {
public:
    shared_record();  // throws std::system_error
    ~shared_record();
    shared_record(const shared_record&) = delete;
    shared_record& operator=(const shared_record&) = delete;

    [[nodiscard]] record& operator*() const noexcept { return *record_; }
    [[nodiscard]] record* operator->() const noexcept { return record_; }
    void clear() const;

private:
    record* record_;
};

// Runs `work` in a fork, as the first thread of the run, which ends with it. Returns nothing if it passed, otherwise
// the reason; the record has the details. `patience`: the real time after which a run is ended that is blocked
// without the scheduler's knowledge. Throws std::system_error. The calling process must have a single thread.
std::optional<std::string> run_apart(const plan& how, record& into, scheduler::endurance lasts,
                                     std::chrono::seconds patience,
                                     const std::function<void(scheduler&)>& work);

// Fails the run of the calling thread; outside of a run it throws std::runtime_error.
[[noreturn]] void violated(const std::string& description);
inline void require(bool good, const char* description) {
    if (!good) violated(description);
}

// Restarts the program with fixed addresses, unless it has them.
void fixed_addresses(char** arguments);

}  // namespace turnstile::schedule
