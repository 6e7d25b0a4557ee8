// SPDX-License-Identifier: Apache-2.0
// make_folder: creates a persistent znode and all znodes above it, as `turnstile mkdir` does.
//
// Use it to prepare a folder that gets an ACL or a quota, or that must remain when its last lock is free. Locks need no
// folder: the first contender creates it. client_options::create_chroot creates the connect string's chroot.
//
//     turnstile::make_folder(servers, "/shop/locks").value();
//
// Thread safety: any thread may call it. It blocks; each wait is a Boost interruption point.
#pragma once

#include <string_view>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// Creates the folder; succeeds without a write if it exists. New znodes have no data and the client's ACL. Errors:
// `bad_path`; `no_chroot`; `no_permission`; `quota_exceeded`; `protocol` (the servers refuse for another reason);
// `timeout`, `not_connected`, `cancelled`, `interrupted`, `closed`, `forked`, `auth_failed`.
[[nodiscard]] TURNSTILE_EXPORT result<void> make_folder(const client& servers,
                                                        std::string_view path,
                                                        const query_options& options = {});
// Takes a timeout or a deadline in place of options: make_folder(servers, path, 2s).
template <waiting_time W>
[[nodiscard]] result<void> make_folder(const client& servers, std::string_view path,
                                       const W& limit) {
    return make_folder(servers, path, {.timeout = limit});
}

}  // namespace turnstile
