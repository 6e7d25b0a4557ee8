// SPDX-License-Identifier: Apache-2.0
// known_servers: the facts about the servers that all sessions of one coordinator share.
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
