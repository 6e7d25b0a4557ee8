// SPDX-License-Identifier: Apache-2.0
// lock_options: how the threads of one process share a lock, and how long a crash of a holder delays the next grant.
//
// Use `retain_for` and `cohort` for a lock that mostly the same process acquires. Use `lock_delay` if writes of a
// crashed holder may arrive late at a store that does not compare fencing tokens.
//
//     turnstile::mutex orders{servers, "/locks/orders", {.retain_for = 30s}};
//     turnstile::mutex hot{servers, "/locks/hot", {.retain_for = 30s, .cohort = 64}};
//     turnstile::mutex press{servers, "/locks/press", {.lock_delay = 15s}};
//
// | mode           | promise                                     | cost                                       |
// |----------------|---------------------------------------------|--------------------------------------------|
// | strict         | grants in the order of arrival, everywhere  | each acquire asks the servers              |
// | cohort(n)      | threads of this process hand the lock over  | this process may overtake other processes  |
// |                | without a request, first come first served  | until it learns of them, and then for n    |
// |                |                                             | handovers                                  |
// | retained       | the next acquire in this process is granted | this process may overtake other processes  |
// |                | at once, without a request, while the lease | until it learns of them; it keeps and      |
// |                | is valid and no other process wants it      | confirms an idle lock for a while          |
//
// This process learns of other processes by a watch event, and at the latest when its lease ends. The order of grants
// (G2 in docs/guarantees.md) is relaxed only as far as the table says. Exclusion, loss and fencing tokens are the same
// as for a strict lock. docs/why/sharing.md has the protocol.
//
// Thread safety: values.
#pragma once

#include <cstdint>

#include "turnstile/clock.hpp"

namespace turnstile {

// The options of a lock. The default is a strict lock without a delay.
struct lock_options {
    // Retained: after the release the lock stays with this process until another process queues for it, or until it has
    // been idle for this time. Zero: not retained. At most ten years.
    boottime_clock::duration retain_for{};
    // Cohort: threads of this process share one znode, and hand the lock over locally. While other processes queue, the
    // threads hand the lock over at most this many times; then they release it to the other processes. Zero: no
    // handover while other processes queue.
    std::uint32_t cohort = 0;
    // Lock delay: after a holder has crashed, or has lost its hold, no other client is granted the lock for this time.
    // After a release the next client is granted the lock at once. The delay protects against late effects of the old
    // holder, for example late writes, that no fencing token stops.
    //
    // Every client of the lock must set a delay. Each holder writes its own delay into a znode beside the lock's path.
    // This znode remains after a crash. A client without a delay neither writes this znode nor waits for it. The delay
    // costs one more read, one more write, and a larger release request. try_acquire() during a delay returns `busy`.
    // The delay is only for strict locks (without `retain_for` and `cohort`), because a handover between threads of
    // this process leaves no znode after a crash. Zero: no delay. At most ten years. See docs/how-to/lock-delay.md.
    boottime_clock::duration lock_delay{};

    friend bool operator==(const lock_options&, const lock_options&) = default;
};

}  // namespace turnstile
