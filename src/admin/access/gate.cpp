// SPDX-License-Identifier: Apache-2.0
#include "admin/access/gate.hpp"

#include <utility>

#include "admin/http/limits.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

constexpr double k_failures_at_once = 5;
constexpr double k_all_failures_at_once = 60;
constexpr double k_minute = 60;

void check_form(const request_facts& facts) {
    if (facts.target.size() > k_longest_target)
        throw refusal{414, "too_large", "the address has more than 4096 bytes"};
    if (facts.headers > k_most_headers)
        throw refusal{431, "too_large", "the request has more than 64 headers"};
    if (facts.repeated)
        throw refusal{400, "bad_request", "a header that may come once came several times"};
    if (facts.ranges)
        throw refusal{400, "bad_request", "parts of an answer are not given: no Range"};
    const bool reads = facts.method == "GET" || facts.method == "HEAD";
    if (reads && facts.body) throw refusal{400, "bad_request", facts.method + ": has no body"};
    if (reads) return;
    if (facts.method != "POST")
        throw refusal{405, "method", facts.method + ": expected GET, HEAD or POST"};
    if (facts.encoded_body) throw refusal{415, "media_type", "the body is encoded"};
    const auto type = facts.content_type.substr(0, facts.content_type.find(';'));
    if (type != "application/json")
        throw refusal{415, "media_type", "the body is not application/json"};
}

}  // namespace

gate::gate(origin_rule rule, bool encrypted)
    : rule_{std::move(rule)},
      encrypted_{encrypted},
      requests_{{.per_second = k_requests_per_second, .at_once = k_requests_at_once}},
      failures_{{.per_second = k_failures_at_once / k_minute, .at_once = k_failures_at_once}},
      all_failures_{
          {.per_second = k_all_failures_at_once / k_minute, .at_once = k_all_failures_at_once}} {}

void gate::check(const request_facts& facts) {
    {
        const std::lock_guard lock{mutex_};
        if (!requests_.take(facts.address, boottime_clock::now()))
            throw refusal{429, "too_many", "too many requests from " + facts.address};
    }
    if (!rule_.knows_host(facts.host))
        throw refusal{
            421, "host",
            "this server is not called " + facts.host + "; names are given with --allow-host"};
    check_form(facts);
    if (facts.method == "POST" && !rule_.is_own_page(facts.origin, facts.host, facts.fetch_site))
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
