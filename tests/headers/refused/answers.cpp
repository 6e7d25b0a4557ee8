// SPDX-License-Identifier: Apache-2.0
// A result that contains an answer must not convert to bool. Otherwise a program could take the success of the call for
// the answer.
#include <optional>

#include "turnstile/leader.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/quorum_lock.hpp"
#include "turnstile/recursive_mutex.hpp"
#include "turnstile/semaphore.hpp"
#include "turnstile/shared_mutex.hpp"
#include "turnstile/tools/odd_znodes.hpp"

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
#ifdef REFUSED_mutex_position
    if (orders.position(turnstile::guard{})) return true;  // refused: deleted
#endif
#ifdef REFUSED_cast
    return static_cast<bool>(orders.is_locked());  // refused: deleted
#endif
    return orders.is_locked().value() && orders.holder().value().has_value() &&
           permits.available().value() > 0;
}

bool ask_others(const turnstile::recursive_mutex& again, const turnstile::shared_mutex& prices,
                const turnstile::semaphore& permits, const turnstile::leader& seat,
                const turnstile::client& servers, const turnstile::quorum_lock& majority) {
#ifdef REFUSED_recursive_is_locked
    if (again.is_locked()) return true;  // refused: deleted
#endif
#ifdef REFUSED_recursive_holder
    if (again.holder()) return true;  // refused: deleted
#endif
#ifdef REFUSED_shared_is_locked
    if (prices.is_locked()) return true;  // refused: deleted
#endif
#ifdef REFUSED_limit
    if (permits.limit()) return true;  // refused: deleted
#endif
#ifdef REFUSED_position
    if (permits.position(turnstile::guard{})) return true;  // refused: deleted
#endif
#ifdef REFUSED_recursive_position
    if (again.position(turnstile::guard{})) return true;  // refused: deleted
#endif
#ifdef REFUSED_shared_position
    if (prices.position(turnstile::guard{})) return true;  // refused: deleted
#endif
#ifdef REFUSED_heads
    if (majority.heads().front()) return true;  // refused: deleted
#endif
#ifdef REFUSED_present_leader
    if (seat.present_leader()) return true;  // refused: deleted
#endif
#ifdef REFUSED_empty_folder
    if (remove_empty_folder(servers, "/a")) return true;  // refused: deleted
#endif
    return majority.heads().front().value().has_value() && again.is_locked().value() &&
           prices.is_locked().value() && permits.limit().value() > 0 &&
           seat.present_leader().value().has_value() && remove_empty_folder(servers, "/a").value();
}
