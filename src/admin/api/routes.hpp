// SPDX-License-Identifier: Apache-2.0
// routes: all paths that the server answers, and the rights that they need. A test compares the OpenAPI document with
// this table.
//
// Thread safety: constants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admin/access/role.hpp"
#include "admin/api/site.hpp"
#include "admin/http/query.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

enum class need {
    nothing,  // open to every client that can connect
    looking,  // a user with this role, if the server has a password, a token or users
    asking,   // also needs --allow-changes, and from a browser the token of its sign-in
    taking,   // like `asking`, for a user with the role `take`
};

// `change` answers requests with a body, and `read` answers requests without a body.
struct route {
    std::string_view method;
    std::string_view path;
    need needs = need::nothing;
    std::vector<std::string> parameters{};
    json (*read)(site&, const query&) = nullptr;
    json (*change)(site&, const json& said, const identity& caller) = nullptr;
};

[[nodiscard]] const std::vector<route>& json_routes();
// The routes with special handlers: sign-in, sign-out, events, CSV, metrics, health, and the OpenAPI document.
[[nodiscard]] const std::vector<route>& other_routes();

// Returns the route of this method and path; null if there is none. Sets `known_path` if a route has the path with
// another method.
[[nodiscard]] const route* find_route(std::string_view method, std::string_view path,
                                      bool& known_path);

// True for the paths of the page's views, which the page's scripts interpret.
[[nodiscard]] bool is_page(std::string_view path) noexcept;

}  // namespace turnstile::admin
