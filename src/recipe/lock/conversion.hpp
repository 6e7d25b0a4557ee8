// SPDX-License-Identifier: Apache-2.0
// conversion: changes the kind of a read-write lock's hold without a gap.
//
// Thread safety: the rules of the guard; the rest from any thread.
#pragma once

#include <functional>
#include <string>

#include "client/client_impl.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

// The guard's kind: read, write or upgradable; write for an upgraded one. Errors: not_held; bad_option for a guard of
// something else than the read-write lock on `path`.
[[nodiscard]] result<core::contender_kind> kind_held(const std::string& path, guard& hold);

// Changes the hold to `read` or `upgradable`. Does nothing if the hold has that kind already.
result<void> downgrade(const std::string& path, guard& hold, core::contender_kind to);

// The hold to upgrade, its new kind, and the way to it.
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
