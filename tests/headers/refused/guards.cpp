// SPDX-License-Identifier: Apache-2.0
// The compiler must warn about a guard that is discarded, because that guard releases its lock at once.
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
}
