// SPDX-License-Identifier: Apache-2.0
// make_folder: creates a persistent znode and all znodes above it, as `turnstile mkdir` does.
//
// Use it to prepare a folder for an ACL or a quota, or a folder that must remain when all its locks are free. Locks do
// not need a prepared folder: the first contender creates it. client_options::create_chroot creates the chroot.
//
//     turnstile::make_folder(servers, "/shop/locks").value();
//
// Thread safety: any thread may call make_folder(). The call blocks; each wait is a Boost interruption point.
#pragma once

#include <string_view>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// Creates the folder at `path`. If the folder exists, the call succeeds and writes nothing. New znodes have the
// client's ACL and no data. Errors: `bad_path`; `no_chroot`; `no_permission`; `quota_exceeded`; `protocol` (the servers
// refuse for another reason); `timeout`, `not_connected`, `cancelled`, `interrupted`, `closed`, `forked`,
// `auth_failed`.
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
