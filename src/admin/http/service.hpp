// SPDX-License-Identifier: Apache-2.0
// http_service: the interface through which an http_server gets answers to requests.
//
// The server first checks a request's syntax, its limits, its `Host` and its form. Then it calls admit(), reads the
// body, and calls answer().
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>

#include "admin/http/refusal.hpp"
#include "admin/http/request.hpp"
#include "admin/http/response.hpp"

namespace turnstile::admin {

struct http_plan {
    std::size_t largest_body = 0;  // in bytes; 0: no body allowed
    bool waits = true;             // false: answer() runs on the loop's thread, so it must be quick
};

class http_service {
public:
    http_service() = default;
    virtual ~http_service() = default;
    http_service(const http_service&) = delete;
    http_service& operator=(const http_service&) = delete;

    // Decides how to handle a request, before the request's body arrives. Does not block. Throws refusal.
    [[nodiscard]] virtual http_plan admit(const http_request& head) = 0;
    // Answers a request. `plan` is the result of admit(). Throws refusal. For another exception the server answers 500.
    [[nodiscard]] virtual http_response answer(const http_request& request,
                                               const http_plan& plan) = 0;
    // Returns the answer to a refused request.
    [[nodiscard]] virtual http_response describe(const refusal& why) const;
};

}  // namespace turnstile::admin
