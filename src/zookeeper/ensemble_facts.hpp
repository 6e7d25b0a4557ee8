// SPDX-License-Identifier: Apache-2.0
// ensemble_facts: facts about a coordinator's servers. All sessions of that coordinator read and write these facts.
//
// Thread safety: all members from any thread.
#pragma once

#include "base/latest_failure.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/older_data.hpp"
#include "zookeeper/request_knowledge.hpp"

namespace turnstile::zookeeper {

struct ensemble_facts {
    unresolved_hosts missing;
    known_requests requests;
    base::latest_failure failure;
    older_data older;
};

}  // namespace turnstile::zookeeper
