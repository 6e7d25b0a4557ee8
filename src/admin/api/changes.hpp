// SPDX-License-Identifier: Apache-2.0
// changes: ask, take and cancel. Each order names the znode that a person saw (name and token), and the audit log has
// the order before the servers do.
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

// `said`: the request's body. A caller with a name of their own gives the order in that name; who has a shared secret says
// who they are. Throw refusal: 400 bad_request, 404 no_such_lock, 409 gone or cancelled, 429 too_many, 503 servers or audit.
[[nodiscard]] json ask(site& at, const json& said, const identity& caller);
[[nodiscard]] json take(site& at, const json& said, const identity& caller);
// The longest time that a take of this contender lasts, if it names no wait. Nothing is asked of the servers.
[[nodiscard]] std::optional<std::chrono::milliseconds> take_at_most(const client& servers,
                                                                    const std::string& path,
                                                                    const contender& target);
// Ends an order that is under way, and withdraws what it wrote. Throws refusal: 404 no_such_order.
[[nodiscard]] json cancel(site& at, const json& said, const identity& caller);

// The members of a body that is an object. Throws refusal (400) for other members than those named, for one that is no
// text, is longer than 1,024 bytes or, if required, is empty.
[[nodiscard]] std::string text_member(const json& body, const char* name, bool required);

}  // namespace turnstile::admin
