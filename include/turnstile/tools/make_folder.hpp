// SPDX-License-Identifier: Apache-2.0
// make_folder: creates a znode and those above it, which stay. `turnstile mkdir` is this.
//
//     turnstile::make_folder(servers, "/shop/locks").value();
//
// Locks need no folder: the first contender creates it. A folder that is made stays when its last lock is free, and its
// owner may give it an ACL or a quota. The connect string's chroot is created by client_options::create_chroot.
//
// Thread safety: a function, from any thread. Blocks; each wait is a Boost interruption point.
#pragma once

#include <string_view>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// Writes nothing where the folder is there, and succeeds. What it creates has no data, and the client's ACL. Errors:
// bad_path; no_chroot; no_permission; quota_exceeded; protocol (the servers refuse for another reason); timeout,
// not_connected, cancelled, interrupted, closed, forked, auth_failed.
[[nodiscard]] TURNSTILE_EXPORT result<void> make_folder(const client& servers,
                                                        std::string_view path,
                                                        const query_options& options = {});

}  // namespace turnstile
