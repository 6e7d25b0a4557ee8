// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <pthread.h>

namespace turnstile::base {
namespace {

std::atomic<std::uint64_t> generation{1};

// Runs in the forked child, where only async-signal-safe code may run. A lock-free increment is async-signal-safe.
void count_fork() noexcept {
    generation.fetch_add(1, std::memory_order_relaxed);
}
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace

std::uint64_t process_generation() noexcept {
    // pthread_atfork() fails only if there is no memory for an entry. Then forks are not counted.
    [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, count_fork);
    return generation.load(std::memory_order_relaxed);
}

}  // namespace turnstile::base
