// SPDX-License-Identifier: Apache-2.0
// client_accepts: what a ZooKeeper client refuses without asking a server. Every back end refuses it.
//
// Thread safety: a pure function.
#pragma once

#include "core/seam/seam.hpp"

namespace turnstile::local {

[[nodiscard]] bool client_accepts(const core::operation& op) noexcept;

}  // namespace turnstile::local
