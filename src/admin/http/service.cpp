// SPDX-License-Identifier: Apache-2.0
#include "admin/http/service.hpp"

#include <nlohmann/json.hpp>

namespace turnstile::admin {

http_response http_service::describe(const refusal& why) const {
    using json = nlohmann::ordered_json;
    const json body{{"error", {{"code", why.code()}, {"message", why.message()}}}};
    // The message may contain the request's bytes, which may be invalid UTF-8.
    http_response response{why.status(), "application/json",
                           body.dump(-1, ' ', false, json::error_handler_t::replace)};
    auto wait = why.retry_after().count();
    if (wait == 0 && why.status() == 429) wait = 5;
    if (wait == 0 && why.status() == 503) wait = 1;
    if (wait != 0) response.headers.push_back({"Retry-After", std::to_string(wait)});
    return response;
}

}  // namespace turnstile::admin
