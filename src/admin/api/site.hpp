// SPDX-License-Identifier: Apache-2.0
// site: the objects with which the admin page's server answers requests. Each running server has one site.
//
// Thread safety: from any thread, because all members are thread-safe.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "admin/access/audit_log.hpp"
#include "admin/access/sign_ins.hpp"
#include "admin/access/users.hpp"
#include "admin/api/orders.hpp"
#include "admin/http/http_server.hpp"
#include "admin/reading/lock_reader.hpp"
#include "admin/reading/reader.hpp"
#include "admin/reading/server_watch.hpp"
#include "turnstile/client.hpp"

namespace turnstile::admin {

struct site {
    client& servers;
    const std::string connect_string;
    const bool read_only;
    const bool encrypted;
    const secrets known;
    const std::function<http_traffic()> traffic;
    server_watch health;
    audit_log audit;
    const reading_settings pace;
    reader reading{servers, pace};
    lock_reader queues{servers, reading.ending(), pace};
    sign_ins signed_in{};
    sign_in_door door{known, signed_in};
    order_register orders{};
    std::stop_source stop{};

    // If there is a password, a token or a user, every path except the page's files requires a sign-in.
    [[nodiscard]] bool must_sign_in() const noexcept { return known.any(); }
};

}  // namespace turnstile::admin
