// SPDX-License-Identifier: Apache-2.0
// diagnose: what each server answers to a connection just now, for a person who wonders why no session comes.
//
// Thread safety: from any thread.
#pragma once

#include <string>

#include "core/seam/seam.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

// "10.0.0.1:2181: Connection refused; zk2: cannot be resolved; 10.0.0.3:2181: no answer; ...". Blocks for up to `limit`,
// and for as long as names take to be resolved.
[[nodiscard]] std::string diagnose(const connect_string& servers, core::duration limit);

}  // namespace turnstile::zookeeper
