// SPDX-License-Identifier: Apache-2.0
// routes: every address that is answered, with what it needs. The OpenAPI document is held against this table.
//
// Thread safety: constants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admin/access/identity.hpp"
#include "admin/api/site.hpp"
#include "admin/http/query.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

enum class need {
    nothing,  // open to all that may connect
    looking,  // a user with this role, where the server has a password, a token or users
    asking,   // also --allow-changes, and for a browser the token of its sign-in
    taking,   // the same
};

// One of the two makes the answer: the second where the request has a body.
struct route {
    std::string_view method;
    std::string_view path;
    need needs = need::nothing;
    std::vector<std::string> parameters{};
    json (*read)(site&, const query&) = nullptr;
    json (*change)(site&, const json& said, const identity& caller) = nullptr;
};

// Those whose answers are JSON.
[[nodiscard]] const std::vector<route>& json_routes();
// Routes with their own handlers: sign-in and sign-out, events, CSV, metrics, health, the document itself.
[[nodiscard]] const std::vector<route>& other_routes();

// Null if there is none with the path; `known_path` says whether one has it with another method.
[[nodiscard]] const route* find_route(std::string_view method, std::string_view path,
                                      bool& known_path);

// Addresses of the page, which has its own idea of what they mean.
[[nodiscard]] bool is_page(std::string_view path) noexcept;

}  // namespace turnstile::admin
