// SPDX-License-Identifier: Apache-2.0
// client_accepts: the checks that a ZooKeeper client makes before it sends a request. Every back end refuses requests
// that fail them.
//
// Thread safety: a pure function.
#pragma once

#include "core/seam/seam.hpp"

namespace turnstile::local {

[[nodiscard]] bool client_accepts(const core::operation& op) noexcept;

}  // namespace turnstile::local
