// SPDX-License-Identifier: Apache-2.0
// lock_options: how the threads of one process share a lock that they want more than once.
//
//     turnstile::mutex orders{servers, "/locks/orders", {.retain_for = 30s}};
//     turnstile::mutex hot{servers, "/locks/hot", {.retain_for = 30s, .cohort = 64}};
//
// | mode           | what it promises beyond the rest            | what it costs                              |
// |----------------|---------------------------------------------|--------------------------------------------|
// | strict         | grants in the order of arrival, everywhere  | each acquire asks the servers               |
// | cohort(n)      | handed over inside the process, no request; | others may be overtaken until the process  |
// |                | first come first served among its threads   | hears of them, and n times more            |
// | retained       | the next acquire in this process is granted | others may be overtaken until the process  |
// |                | at once, no request, while no other wants it | hears of them; an idle lock is kept, and   |
// |                | the lock and the lease is valid              | confirmed, for a while                     |
//
// "Until the process hears of them" is a watch event's way, and at most until its lease ends: G2 of the contract
// is relaxed by so much, and by nothing else. Exclusion, loss and fencing tokens are those of a strict lock.
// docs/why/sharing.md has the protocol.
#pragma once

#include <cstdint>

#include "turnstile/clock.hpp"

namespace turnstile {

struct lock_options {
    // Retained: after the release the lock stays with this process until another one queues for it, or it has
    // been idle for so long. Zero: not retained. At most ten years.
    boottime_clock::duration retain_for{};
    // Cohort: threads of this process queue behind one znode and hand the lock over locally, so many times at most
    // while others queue behind it; then these come first. Zero: none once others queue.
    std::uint32_t cohort = 0;

    friend bool operator==(const lock_options&, const lock_options&) = default;
};

}  // namespace turnstile
