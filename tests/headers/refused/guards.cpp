// SPDX-License-Identifier: Apache-2.0
// The compiler must warn about a discarded guard, because that guard releases its lock at once. The compiler must
// refuse a temporary guard as a condition, because that guard releases its lock before the block begins.
#include "turnstile/any_lock.hpp"
#include "turnstile/mutex.hpp"

void take(turnstile::mutex& orders) {
    const auto hold = orders.acquire().value();
#ifdef REFUSED_value
    orders.acquire().value();  // refused: nodiscard
#endif
#ifdef REFUSED_dereferenced
    *orders.acquire();  // refused: nodiscard
#endif
#ifdef REFUSED_result
    orders.acquire();  // refused: nodiscard
#endif
    if (const auto named = orders.try_acquire(); named) return;
    if (auto named = orders.try_acquire()) return;
    if (orders.try_acquire().has_value()) return;
    if (!hold.status()) return;
#ifdef REFUSED_condition
    if (orders.try_acquire()) return;  // refused: deleted
#endif
#ifdef REFUSED_negated
    if (!orders.acquire()) return;  // refused: deleted
#endif
#ifdef REFUSED_loop
    while (!orders.acquire()) continue;  // refused: deleted
#endif
#ifdef REFUSED_operand
    if (hold.valid() && orders.try_acquire()) return;  // refused: deleted
#endif
}
