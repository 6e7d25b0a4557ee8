// SPDX-License-Identifier: Apache-2.0
// front_desk: answers the requests to the admin page's server. `gate` (admin/access/gate.hpp) identifies the user. Then
// front_desk calls the route of the request's path, or returns a file of the page.
//
// Thread safety: all members from any thread.
#pragma once

#include "admin/access/gate.hpp"
#include "admin/api/routes.hpp"
#include "admin/api/site.hpp"
#include "admin/http/service.hpp"

namespace turnstile::admin {

class front_desk : public http_service {
public:
    front_desk(site& at, gate& entrance) noexcept : at_{at}, entrance_{entrance} {}

    [[nodiscard]] http_plan admit(const http_request& head) override;
    [[nodiscard]] http_response answer(const http_request& request, const http_plan& plan) override;
    [[nodiscard]] http_response describe(const refusal& why) const override;

private:
    [[nodiscard]] identity caller_of(const http_request& request) const;
    [[nodiscard]] http_response answer_route(const route& found, const identity& caller,
                                             const http_request& request);
    [[nodiscard]] http_response answer_other(const route& found, const identity& caller,
                                             const http_request& request);
    [[nodiscard]] http_response sign_in(const identity& caller, const http_request& request);
    [[nodiscard]] http_response sign_out(const identity& caller, const http_request& request);
    [[nodiscard]] http_response stream(const http_request& request, const query& asked);
    [[nodiscard]] json me(const identity& caller) const;
    void check_needs(const route& found, const http_request& request, const identity& caller) const;

    site& at_;
    gate& entrance_;
};

}  // namespace turnstile::admin
