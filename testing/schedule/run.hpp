// SPDX-License-Identifier: Apache-2.0
// run: one run of something under a scheduler, in a process of its own.
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

// Runs `work` in a fork, as the first thread of the run, which ends with it. Nothing if it passed; else why not, and
// the record has more. `patience`: real time, after which a run is ended that the scheduler does not see hang. Throws
// std::system_error. In a process that has no other thread.
std::optional<std::string> run_apart(const plan& how, record& into, scheduler::endurance lasts,
                                     std::chrono::seconds patience,
                                     const std::function<void(scheduler&)>& work);

// Fails the run of the calling thread; outside of one it throws std::runtime_error.
[[noreturn]] void violated(const std::string& description);
inline void require(bool good, const char* description) {
    if (!good) violated(description);
}

// Starts the program again with the same addresses each time, unless that is so.
void fixed_addresses(char** arguments);

}  // namespace turnstile::schedule
