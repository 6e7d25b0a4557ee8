// SPDX-License-Identifier: Apache-2.0
// finish_or_end: ends the process if memory is exhausted in the middle of a change.
//
// Before its first visible step (a request, an entry in a table, a thread), a call may throw std::bad_alloc. The call
// has then changed nothing, and calls no handler. After that step, a bad_alloc would leave a half-finished client:
// connected, but without a reaction to events. So the process then ends at once, with one sentence on standard error.
// The servers expire its sessions, and other contenders get its locks.
//
//     base::finish_or_end("a step of a session", [&] { ... });
//
// Only a few places call finish_or_end(): changes of a session, a recipe's steps, and the start of each thread of the
// library. A caller locks its mutex before the call and unlocks it after the call, so that no other thread sees the
// half-done step while the stack unwinds.
//
// Thread safety: any thread.
#pragma once

#include <new>
#include <utility>

#include "base/mutex.hpp"

namespace turnstile::base {

// Writes "turnstile: out of memory in <place>: ..." and aborts. Allocates nothing, and does not wait for a reader of
// standard error.
[[noreturn]] void end_out_of_memory(const char* place) noexcept;

// Runs `step`, and ends the process if `step` throws std::bad_alloc. Other exceptions reach the caller. A step that
// needs a lock declares the lock (REQUIRES), because the compiler does not check this function.
template <class F>
decltype(auto) finish_or_end(const char* place, F&& step) NO_THREAD_SAFETY_ANALYSIS {
    try {
        return std::forward<F>(step)();
    } catch (const std::bad_alloc&) {
        end_out_of_memory(place);
    }
}

}  // namespace turnstile::base
