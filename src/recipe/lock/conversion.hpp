// SPDX-License-Identifier: Apache-2.0
// conversion: changes the kind of a read-write lock's hold. The lock stays held during the change.
//
// Thread safety: one thread at a time for each guard; otherwise any thread.
#pragma once

#include <functional>
#include <string>

#include "client/client_impl.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

// Returns the kind of the guard's hold: read, write or upgradable; write for an upgraded hold. Errors: not_held;
// bad_option if the guard does not belong to the read-write lock on `path`.
[[nodiscard]] result<core::claim_kind> kind_held(const std::string& path, guard& hold);

// Changes the hold to the kind `to`, which is `read` or `upgradable`. Does nothing if the hold has that kind already.
result<void> downgrade(const std::string& path, guard& hold, core::claim_kind to);

// An upgrade changes a hold of this lock into a writer's hold. `mode` says whether the upgrade may wait.
struct upgrade_request {
    client_impl& servers;
    const std::string& path;
    core::attempt mode = core::attempt::wait;
};
// Changes the guard's hold to `write`. After a failure the guard is unchanged.
result<void> upgrade(const upgrade_request& request, guard& hold, acquire_options options);
void async_upgrade(const upgrade_request& request, guard hold, acquire_options options,
                   std::function<void(guard, result<void>)> handler);

}  // namespace turnstile::detail
