// SPDX-License-Identifier: Apache-2.0
// A result that holds an answer must not convert to bool: "the call succeeded" would be read as the answer.
#include <optional>

#include "turnstile/mutex.hpp"
#include "turnstile/semaphore.hpp"

bool ask(const turnstile::mutex& orders, const turnstile::semaphore& permits) {
    if (orders.is_locked().has_error() || orders.holder().has_error()) return false;
    if (!orders.is_locked().has_value()) return false;
#ifdef REFUSED_is_locked
    if (orders.is_locked()) return true;  // refused: deleted
#endif
#ifdef REFUSED_is_not_locked
    if (!orders.is_locked()) return true;  // refused: deleted
#endif
#ifdef REFUSED_holder
    if (orders.holder()) return true;  // refused: deleted
#endif
#ifdef REFUSED_has_value
    if (orders.holder().has_value()) return true;  // refused: deleted
#endif
#ifdef REFUSED_found
    if (const auto found = orders.holder(); found) return true;  // refused: deleted
#endif
#ifdef REFUSED_available
    if (permits.available()) return true;  // refused: deleted
#endif
#ifdef REFUSED_cast
    return static_cast<bool>(orders.is_locked());  // refused: deleted
#endif
    return orders.is_locked().value() && orders.holder().value().has_value() &&
           permits.available().value() > 0;
}
