// SPDX-License-Identifier: Apache-2.0
// front_desk: from a request of cpp-httplib to its answer: the gate, then a route, an asset or a page.
//
// Thread safety: answer() from any thread.
#pragma once

#include <httplib.h>

#include "admin/access/gate.hpp"
#include "admin/api/routes.hpp"
#include "admin/api/site.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {

class front_desk {
public:
    front_desk(site& at, gate& entrance) noexcept : at_{at}, entrance_{entrance} {}

    // Before the body is read: true if the request has been refused.
    [[nodiscard]] bool refuses(const httplib::Request& request, httplib::Response& response);
    void answer(const httplib::Request& request, httplib::Response& response);
    // What cpp-httplib refused by itself: gives it a body.
    static void describe_failure(const httplib::Request& request, httplib::Response& response);

private:
    void admit(const httplib::Request& request);
    void answer_route(const route& found, const request_facts& facts, const identity& caller,
                      const httplib::Request& request, httplib::Response& response);
    void answer_other(const route& found, const request_facts& facts, const identity& caller,
                      const httplib::Request& request, httplib::Response& response);
    void answer_file(std::string_view path, const httplib::Request& request,
                     httplib::Response& response);
    void sign_in(const request_facts& facts, const httplib::Request& request,
                 httplib::Response& response);
    void sign_out(const request_facts& facts, const identity& caller, httplib::Response& response);
    void stream(const query& asked, const request_facts& facts, httplib::Response& response);
    [[nodiscard]] json me(const identity& caller) const;
    void check_needs(const route& found, const request_facts& facts, const identity& caller) const;
    void refuse(const refusal& why, httplib::Response& response);

    site& at_;
    gate& entrance_;
};

}  // namespace turnstile::admin
