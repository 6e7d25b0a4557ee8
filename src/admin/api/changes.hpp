// SPDX-License-Identifier: Apache-2.0
// changes: ask, take and cancel. Each order names the znode that a person saw (name and token). The audit log records
// an order before the servers get it.
//
// Thread safety: from any thread; take blocks.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "admin/access/identity.hpp"
#include "admin/api/site.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

// `said`: the request's body. A named user gives the order in that name; a caller with a shared secret adds a name.
// Both throw refusal: 400 bad_request, 404 no_such_lock, 409 gone or cancelled, 429 too_many, 503 servers or audit.
[[nodiscard]] json ask(site& at, const json& said, const identity& caller);
[[nodiscard]] json take(site& at, const json& said, const identity& caller);
// Returns the longest duration of a take of this contender, for an order that gives no wait. Sends no request.
[[nodiscard]] std::optional<std::chrono::milliseconds> take_at_most(const client& servers,
                                                                    const std::string& path,
                                                                    const contender& target);
// Ends an order in progress, and withdraws what it wrote. Throws refusal: 404 no_such_order.
[[nodiscard]] json cancel(site& at, const json& said, const identity& caller);

// Returns a member of a body that is an object. Throws refusal (400) for a member that is not a text, is longer than
// 1,024 bytes or, if required, is empty.
[[nodiscard]] std::string text_member(const json& body, const char* name, bool required);

}  // namespace turnstile::admin
