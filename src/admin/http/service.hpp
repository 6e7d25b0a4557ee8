// SPDX-License-Identifier: Apache-2.0
// http_service: the part of a program that answers requests; an http_server calls it.
//
// The server has checked a request's grammar, its limits, its `Host` and its form before it calls admit(); admit() comes
// before the body is read, answer() after that.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>

#include "admin/http/refusal.hpp"
#include "admin/http/request.hpp"
#include "admin/http/response.hpp"

namespace turnstile::admin {

struct http_plan {
    std::size_t largest_body = 0;  // in bytes; 0: the request may have none
    bool waits =
        true;  // the answer may take long; without it answer() runs on the thread that serves all connections
};

class http_service {
public:
    http_service() = default;
    virtual ~http_service() = default;
    http_service(const http_service&) = delete;
    http_service& operator=(const http_service&) = delete;

    // The request's body is still to come. Does not wait. Throws refusal.
    [[nodiscard]] virtual http_plan admit(const http_request& head) = 0;
    // `plan` is what admit() has returned. Throws refusal. Another exception is answered with 500.
    [[nodiscard]] virtual http_response answer(const http_request& request,
                                               const http_plan& plan) = 0;
    // The answer that says why a request is refused, by the service or by the server.
    [[nodiscard]] virtual http_response describe(const refusal& why) const;
};

}  // namespace turnstile::admin
