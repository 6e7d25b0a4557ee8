// SPDX-License-Identifier: Apache-2.0
#include "admin/api/routes.hpp"

#include <algorithm>
#include <array>

#include "admin/api/audit_pages.hpp"
#include "admin/api/changes.hpp"
#include "admin/api/lock_page.hpp"
#include "admin/api/overview.hpp"

namespace turnstile::admin {

const std::vector<route>& json_routes() {
    static const std::vector<route> all{
        {"GET", "/api/v1/overview", need::looking, {}, overview},
        {"GET",
         "/api/v1/locks",
         need::looking,
         {"prefix", "holder", "kind", "sort", "offset", "limit"},
         lock_list},
        {"GET",
         "/api/v1/lock",
         need::looking,
         {"path", "kind", "contender", "offset", "limit"},
         lock_page},
        {"GET", "/api/v1/graph", need::looking, {}, waits},
        {"GET", "/api/v1/templates", need::looking, {}, templates},
        {"GET", "/api/v1/audit", need::looking, audit_parameters(true), audit_page},
        {"GET", "/api/v1/orders", need::looking, {}, orders_page},
        {"POST", "/api/v1/ask", need::asking, {}, nullptr, ask},
        {"POST", "/api/v1/take", need::taking, {}, nullptr, take},
        {"POST", "/api/v1/cancel", need::taking, {}, nullptr, cancel}};
    return all;
}

const std::vector<route>& other_routes() {
    static const std::vector<route> all{
        {"GET", "/api/v1/me", need::nothing},
        {"GET", "/api/v1/openapi.json", need::nothing},
        {"GET", "/api/v1/events", need::looking, {"path", "kind"}},
        {"POST", "/api/v1/sign-in", need::nothing},
        {"POST", "/api/v1/sign-out", need::nothing},
        {"GET", "/api/v1/audit.csv", need::looking, audit_parameters(false)},
        {"GET", "/metrics", need::looking},
        {"GET", "/healthz", need::nothing}};
    return all;
}

const route* find_route(std::string_view method, std::string_view path, bool& known_path) {
    known_path = false;
    const std::string_view asked = method == "HEAD" ? "GET" : method;
    for (const auto* table : {&json_routes(), &other_routes()}) {
        for (const auto& each : *table) {
            if (each.path != path) continue;
            if (each.method == asked) return &each;
            known_path = true;
        }
    }
    return nullptr;
}

bool is_page(std::string_view path) noexcept {
    constexpr std::array<std::string_view, 5> k_pages{"/", "/lock", "/graph", "/audit", "/servers"};
    return std::find(k_pages.begin(), k_pages.end(), path) != k_pages.end();
}

}  // namespace turnstile::admin
