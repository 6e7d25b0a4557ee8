// SPDX-License-Identifier: Apache-2.0
#include "admin/access/gate.hpp"

#include "admin/http/host_names.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

constexpr double k_failures_at_once = 5;
constexpr double k_all_failures_at_once = 60;
constexpr double k_minute = 60;

}  // namespace

gate::gate(bool encrypted)
    : encrypted_{encrypted},
      failures_{{.per_second = k_failures_at_once / k_minute, .at_once = k_failures_at_once}},
      all_failures_{
          {.per_second = k_all_failures_at_once / k_minute, .at_once = k_all_failures_at_once}} {}

void gate::check(const request_facts& facts) {
    if (facts.method != "POST") return;
    const auto type = facts.content_type.substr(0, facts.content_type.find(';'));
    if (type != "application/json")
        throw refusal{415, "media_type", "the body is not application/json"};
    if (!is_own_page(facts.origin, facts.host, facts.fetch_site))
        throw refusal{403, "origin", "the request comes from a page of another site"};
}

std::string gate::cookie_name() const {
    return encrypted_ ? "__Host-turnstile" : "turnstile";
}

std::string gate::cookie_header(const std::string& id) const {
    return cookie_name() + "=" + id + "; Path=/; HttpOnly; SameSite=Strict" +
           (encrypted_ ? "; Secure" : "");
}

std::string gate::end_of_cookie() const {
    return cookie_header("") + "; Max-Age=0";
}

identity gate::identify(const request_facts& facts, const secrets& known, sign_ins& records) const {
    identity caller;
    caller.program = known.is_authorization(facts.authorization);
    const auto id = cookie_of(facts.cookie, cookie_name());
    if (!id.empty()) caller.ticket = records.find(id, boottime_clock::now());
    return caller;
}

void gate::check_change(const request_facts& facts, const identity& caller) {
    if (caller.program) return;  // a browser sends no such header by itself
    if (!caller.ticket || !same_secret(facts.csrf, caller.ticket->csrf))
        throw refusal{403, "csrf",
                      "X-Turnstile-CSRF is not the one that /api/v1/me gives with this sign-in"};
}

void gate::check_sign_in(const std::string& address) {
    const std::lock_guard lock{mutex_};
    const auto now = boottime_clock::now();
    if (!failures_.allows(address, now) || !all_failures_.allows({}, now))
        throw refusal{429, "too_many", "too many sign-ins have failed; try again in a minute"};
}

void gate::count_failed_sign_in(const std::string& address) {
    const std::lock_guard lock{mutex_};
    const auto now = boottime_clock::now();
    static_cast<void>(failures_.take(address, now));
    static_cast<void>(all_failures_.take({}, now));
}

}  // namespace turnstile::admin
