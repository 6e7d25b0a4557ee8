// SPDX-License-Identifier: Apache-2.0
// lock_options: how the threads of one process share a lock, and how long it stays without a holder after one crashed.
//
// Use `retain_for` and `cohort` for a lock that one process acquires again and again. Use `lock_delay` for work that a
// crashed holder may have left unfinished in a place that compares no tokens.
//
//     turnstile::mutex orders{servers, "/locks/orders", {.retain_for = 30s}};
//     turnstile::mutex hot{servers, "/locks/hot", {.retain_for = 30s, .cohort = 64}};
//     turnstile::mutex press{servers, "/locks/press", {.lock_delay = 15s}};
//
// | mode           | what it promises beyond the rest            | what it costs                              |
// |----------------|---------------------------------------------|--------------------------------------------|
// | strict         | grants in the order of arrival, everywhere  | each acquire asks the servers              |
// | cohort(n)      | threads of this process hand the lock over  | other processes may be overtaken until     |
// |                | without a request, first come first served  | this one learns of them, and n times more  |
// | retained       | the next acquire in this process is granted | other processes may be overtaken until     |
// |                | at once, without a request, while the lease | this one learns of them; an idle lock is   |
// |                | is valid and no other process wants it      | kept, and confirmed, for a while           |
//
// "Until this one learns of them" is the time of a watch event, and ends at the latest with the lease. G2 of the
// contract is relaxed by that much, and by nothing else. Exclusion, loss and fencing tokens are the same as for a
// strict lock. docs/why/sharing.md has the protocol.
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
    // Cohort: threads of this process queue behind one znode, and hand the lock over locally. While other processes
    // queue, the threads hand it over at most this many times; then the other processes have their turn. Zero: no
    // handover while other processes queue.
    std::uint32_t cohort = 0;
    // Lock delay: after a holder has crashed, or has lost its hold, no other client is granted the lock for this time.
    // After a release another client is granted it at once. It protects against late effects of the old holder that no
    // fencing token stops.
    //
    // Every client of the lock must set a delay. A holder marks itself, with its own delay, beside the lock's path; a
    // client without a delay neither does so nor waits. The delay costs one more read, one more write, and a larger
    // release. try_acquire() during a delay returns `busy`. Only for strict locks, because a handover inside the
    // process has no znode to mark. Zero: no delay. At most ten years. See docs/how-to/lock-delay.md.
    boottime_clock::duration lock_delay{};

    friend bool operator==(const lock_options&, const lock_options&) = default;
};

}  // namespace turnstile
