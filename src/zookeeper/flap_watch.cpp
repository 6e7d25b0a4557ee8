// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/flap_watch.hpp"

#include <algorithm>

namespace turnstile::zookeeper {

bool flap_watch::detached(core::time_point now, core::duration timeout) noexcept {
    if (!since_) return false;
    const bool early = now - *since_ < timeout / k_early_part;
    since_.reset();
    if (!early) {
        early_ = 0;
        suspicion_ = k_first_suspicion;
        return false;
    }
    if (++early_ < suspicion_) return false;
    early_ = 0;
    suspicion_ = std::min(2 * suspicion_, k_last_suspicion);
    return true;
}

}  // namespace turnstile::zookeeper
