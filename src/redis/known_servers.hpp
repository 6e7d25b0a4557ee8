// SPDX-License-Identifier: Apache-2.0
// known_servers: what the sessions of one coordinator know together about the servers: the latest failure, and the
// latest replacement of a master.
//
// Thread safety: all members from any thread.
#pragma once

#include "base/latest_failure.hpp"
#include "redis/replaced_master.hpp"

namespace turnstile::redis {

struct known_servers {
    replaced_master replaced;
    base::latest_failure failure;
};

}  // namespace turnstile::redis
