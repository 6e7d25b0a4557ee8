// SPDX-License-Identifier: Apache-2.0
// changes: executes a user's orders: ask (request a release), take (remove the holder's znode) and cancel (end a take
// in progress). Each order names the znode that the user saw (name and token). The audit log records an order before it
// is sent to the servers.
//
// Thread safety: from any thread; take blocks.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "admin/access/role.hpp"
#include "admin/api/site.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

// `said`: the request's body. A named user's order has that user's name; with a shared secret, the body must contain a
// name. Both functions throw refusal: 400 bad_request, 404 no_such_lock, 409 gone or cancelled, 429 too_many, 503
// servers or audit.
[[nodiscard]] json ask(site& at, const json& said, const identity& caller);
[[nodiscard]] json take(site& at, const json& said, const identity& caller);
// Returns the longest time from a user's order `take` to the removal of this contender's znode, if the request for the
// order has no `wait_ms`. Sends no request.
[[nodiscard]] std::optional<std::chrono::milliseconds> take_at_most(const client& servers,
                                                                    const std::string& path,
                                                                    const contender& target);
// Ends an order in progress, and withdraws its request to the holder. Throws refusal: 404 no_such_order.
[[nodiscard]] json cancel(site& at, const json& said, const identity& caller);

// Returns a text member of the body. Throws refusal (400) if the member is not a text, is longer than 1,024 bytes or,
// if required, is empty.
[[nodiscard]] std::string text_member(const json& body, const char* name, bool required);

}  // namespace turnstile::admin
