// SPDX-License-Identifier: Apache-2.0
// gate: who a request comes from, and whether that is allowed: own pages, sign-ins. The server has checked before that the
// request is well formed (admin/http/entrance.hpp).
//
// Thread safety: all members from any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "admin/access/secrets.hpp"
#include "admin/access/sign_ins.hpp"
#include "admin/http/rate_limit.hpp"

namespace turnstile::admin {

// What a request says of itself.
struct request_facts {
    std::string method;
    std::string target;
    std::string address;  // of the peer
    std::string host;
    std::string origin;
    std::string fetch_site;
    std::string cookie;
    std::string authorization;
    std::string csrf;
    std::string content_type;
};

// What a request was let in as.
struct identity {
    std::optional<sign_ins::ticket> ticket{};
    bool program = false;  // by the token

    [[nodiscard]] bool signed_in() const noexcept { return program || ticket.has_value(); }
};

class gate {
public:
    explicit gate(bool encrypted);

    // Checks where a request with a body comes from. Throws refusal: 403 origin, 415.
    static void check(const request_facts& facts);
    [[nodiscard]] identity identify(const request_facts& facts, const secrets& known,
                                    sign_ins& records) const;
    // That this change comes from the page itself. Throws refusal (403 csrf).
    static void check_change(const request_facts& facts, const identity& caller);

    // Sign-ins that fail cost: from one address 5 a minute, from all 60. Throws refusal (429 too_many).
    void check_sign_in(const std::string& address);
    void count_failed_sign_in(const std::string& address);

    [[nodiscard]] std::string cookie_header(const std::string& id) const;
    [[nodiscard]] std::string end_of_cookie() const;

private:
    [[nodiscard]] std::string cookie_name() const;

    const bool encrypted_;
    std::mutex mutex_;
    rate_limit failures_;
    rate_limit all_failures_;
};

}  // namespace turnstile::admin
