// SPDX-License-Identifier: Apache-2.0
// What changes something at the servers: ask and take, bound to the znode that a person saw (its name and its token),
// written down before.
//
// Thread safety: from any thread; take blocks.
#pragma once

#include <string>

#include "admin/api/site.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

// `said`: the request's body. `from`: the address of the browser, for the record. Throw refusal: 400 bad_request, 404
// no_such_lock, 409 gone, 429 too_many, 503 servers or audit.
[[nodiscard]] json ask(site& at, const json& said, const std::string& from);
[[nodiscard]] json take(site& at, const json& said, const std::string& from);

// Newest first.
class query;
[[nodiscard]] json audit_page(site& at, const query& asked);

// The members of a body that is an object. Throws refusal (400) for other members than those named, for one that is no
// text, is longer than 1,024 bytes or, if required, is empty.
[[nodiscard]] std::string text_member(const json& body, const char* name, bool required);

}  // namespace turnstile::admin
