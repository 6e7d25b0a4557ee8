// SPDX-License-Identifier: Apache-2.0
// lock_options: how the threads of one process share a lock that they want more than once, and how long the
// lock stays without a holder after one has crashed.
//
//     turnstile::mutex orders{servers, "/locks/orders", {.retain_for = 30s}};
//     turnstile::mutex hot{servers, "/locks/hot", {.retain_for = 30s, .cohort = 64}};
//     turnstile::mutex press{servers, "/locks/press", {.lock_delay = 15s}};
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
    // After a holder of this lock has crashed, or was told that it lost its hold, no other is granted the lock for
    // so long; after a release one is at once. For what a holder may still do that no fencing token stops.
    // Every client of the lock has to say one: a holder marks itself with its own, beside the lock's
    // path, and a client that says none neither does so nor waits. It costs one read and one write more, and a
    // larger release. A try_acquire() meanwhile is `busy`. Only for strict locks: a hand-over inside the process
    // has no znode to mark. Zero: none; ten years at most. See docs/how-to/lock-delay.md.
    boottime_clock::duration lock_delay{};

    friend bool operator==(const lock_options&, const lock_options&) = default;
};

}  // namespace turnstile
