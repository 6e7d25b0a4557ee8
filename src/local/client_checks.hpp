// SPDX-License-Identifier: Apache-2.0
// client_accepts: checks a request as a ZooKeeper client does before it sends the request. Every back end refuses a
// request that fails this check.
//
// Thread safety: a pure function.
#pragma once

#include "core/seam/seam.hpp"

namespace turnstile::local {

[[nodiscard]] bool client_accepts(const core::operation& op) noexcept;

}  // namespace turnstile::local
