// SPDX-License-Identifier: Apache-2.0
#include "schedule/record.hpp"

namespace turnstile::schedule {

const char* name_of(operation operation) noexcept {
    switch (operation) {
        case operation::begin: return "begins";
        case operation::lock: return "locks";
        case operation::unlocked: return "unlocked";
        case operation::wait: return "waits";
        case operation::timed_wait: return "waits for a time";
        case operation::notified: return "notified";
        case operation::created: return "started a thread";
        case operation::join: return "joins";
        case operation::poll: return "polls";
        case operation::futex: return "waits for a word";
        case operation::yield: return "yields";
        case operation::sleep: return "sleeps";
        case operation::over: return "ends";
    }
    return "?";
}

}  // namespace turnstile::schedule
