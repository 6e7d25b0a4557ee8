// SPDX-License-Identifier: Apache-2.0
#include "admin/access/gate.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "admin/http/entrance.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_ipv4_bytes = 4;
constexpr std::size_t k_ipv6_bytes = 16;
constexpr std::string_view k_ipv4_inside{"\0\0\0\0\0\0\0\0\0\0\xff\xff", 12};

bool has_bits_of(const std::string& address, const std::string& other, std::size_t bits) {
    const auto whole = bits / 8;
    if (address.compare(0, whole, other, 0, whole) != 0) return false;
    const auto rest = bits % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<unsigned char>(0xffU << (8 - rest));
    return (static_cast<unsigned char>(address[whole] ^ other[whole]) & mask) == 0;
}

}  // namespace

std::string address_bytes(std::string_view text) {
    const std::string ended{text};
    std::array<char, k_ipv6_bytes> room{};
    if (::inet_pton(AF_INET, ended.c_str(), room.data()) == 1) return {room.data(), k_ipv4_bytes};
    if (::inet_pton(AF_INET6, ended.c_str(), room.data()) != 1) return {};
    const std::string bytes{room.data(), room.size()};
    return bytes.starts_with(k_ipv4_inside) ? bytes.substr(k_ipv4_inside.size()) : bytes;
}

address_list::address_list(const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
        const auto slash = text.find('/');
        block found{address_bytes(std::string_view{text}.substr(0, slash)), 0};
        found.bits = 8 * found.bytes.size();
        bool good = !found.bytes.empty();
        if (slash != std::string::npos) {
            std::size_t bits = 0;
            const auto* const end = text.data() + text.size();
            const auto [last, problem] = std::from_chars(text.data() + slash + 1, end, bits);
            good = good && problem == std::errc{} && last == end && bits <= found.bits;
            found.bits = bits;
        }
        if (!good)
            throw std::runtime_error{
                text +
                ": expected an address, such as 127.0.0.1, or a block, such as "
                "10.0.0.0/8"};
        blocks_.push_back(std::move(found));
    }
}

bool address_list::include(std::string_view address) const {
    const auto bytes = address_bytes(address);
    return std::any_of(blocks_.begin(), blocks_.end(), [&](const block& each) {
        return bytes.size() == each.bytes.size() && has_bits_of(bytes, each.bytes, each.bits);
    });
}

namespace {

constexpr std::string_view k_bearer = "Bearer ";
constexpr std::string_view k_scheme_end = "://";
constexpr const char* k_attributes = "; Path=/; HttpOnly; SameSite=Strict";
constexpr const char* k_thirty_days = "; Max-Age=2592000";

std::string_view single(const http_request& request, const std::string& name) {
    if (request.count(name) > 1)
        throw refusal{400, "bad_request",
                      name + ": the request has several headers with this name; one is allowed"};
    return trimmed(request.header(name));
}

// Returns the values of all headers with this name as one list. Some proxies append an address to the client's header,
// and other proxies add a second header with this name.
std::string list_of(const http_request& request, std::string_view name) {
    std::string list;
    for (const auto& each : request.headers)
        if (same_name(each.name, name)) list += (list.empty() ? "" : ",") + each.value;
    return list;
}

std::map<std::string, std::string> schemes_of(const std::vector<std::string>& names) {
    std::map<std::string, std::string> schemes;
    for (const auto& name : names) {
        const auto end = name.find(k_scheme_end);
        if (end != std::string::npos)
            schemes[host_name(without_scheme(name))] = name.substr(0, end);
    }
    return schemes;
}

identity user_with_token(std::string_view authorization, const secrets& known) {
    if (!authorization.starts_with(k_bearer)) return {};
    const auto token = authorization.substr(k_bearer.size());
    if (known.is_token(token)) return {.user = "token", .may = role::take, .shared = true};
    const auto found = known.named.with_token(token);
    return found ? identity{.user = found->name, .may = found->may} : identity{};
}

}  // namespace

std::string without_scheme(std::string_view name) {
    const auto end = name.find(k_scheme_end);
    return std::string{end == std::string_view::npos ? name
                                                     : name.substr(end + k_scheme_end.size())};
}

gate::gate(bool encrypted, const std::vector<std::string>& names, proxy_settings proxy)
    : encrypted_{encrypted},
      schemes_{schemes_of(names)},
      proxy_{std::move(proxy)},
      proxies_{proxy_.addresses},
      key_{random_secret()} {}

std::string gate::scheme_of(const http_request& request) const {
    const auto named = schemes_.find(host_name(request.header("Host")));
    if (named != schemes_.end()) return named->second;
    const auto told = single(request, "X-Forwarded-Proto");
    if (!told.empty() && proxies_.include(request.peer)) return std::string{told};
    return request.encrypted ? "https" : "http";
}

void gate::check(const http_request& request) const {
    if (request.method != "POST") return;
    const auto type = request.header("Content-Type");
    if (type.substr(0, type.find(';')) != "application/json")
        throw refusal{415, "media_type", "the header Content-Type must be application/json"};
    const auto scheme = scheme_of(request);
    if (!is_own_page(request.header("Origin"), scheme, request.header("Host"),
                     request.header("Sec-Fetch-Site")))
        throw refusal{403, "origin",
                      "a page of another site sent the request; the site of this server is " +
                          scheme + "://" + std::string{request.header("Host")} +
                          " (behind a proxy, give --allow-host https://NAME)"};
}

std::string gate::address_of(const http_request& request) const {
    std::string address = request.peer;
    if (!proxies_.include(address)) return address;
    // Each proxy appends the address of its client. So the last address that belongs to no trusted proxy is the address
    // of the real client.
    const auto told = list_of(request, "X-Forwarded-For");
    std::string_view rest{told};
    while (proxies_.include(address) && !rest.empty()) {
        const auto comma = rest.rfind(',');
        const auto last = trimmed(comma == std::string_view::npos ? rest : rest.substr(comma + 1));
        if (address_bytes(last).empty()) break;
        address = last;
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(0, comma);
    }
    return address;
}

// The prefix "__Host-" binds the cookie to this host. Browsers accept it only over TLS.
std::string gate::cookie_name(std::string_view base) const {
    return (encrypted_ ? "__Host-" : "") + std::string{base};
}

std::string gate::cookie_header(const std::string& id) const {
    return cookie_name("turnstile") + "=" + id + k_attributes + (encrypted_ ? "; Secure" : "");
}

std::string gate::browser_cookie_header(const std::string& id) const {
    return cookie_name("turnstile-browser") + "=" + id + k_attributes +
           (encrypted_ ? "; Secure" : "") + k_thirty_days;
}

std::string gate::end_of_cookie() const {
    return cookie_header("") + "; Max-Age=0";
}

std::string gate::browser_of(const http_request& request) const {
    return std::string{cookie_of(request.header("Cookie"), cookie_name("turnstile-browser"))};
}

identity gate::user_of_proxy(const http_request& request, const secrets& known) const {
    if (!proxies_.include(request.peer)) return {};
    const auto name = single(request, proxy_.user_header);
    if (name.empty()) return {};
    const auto found = known.named.from_proxy(name, single(request, proxy_.groups_header));
    if (!found) return {};
    return {.user = found->name,
            .may = found->may,
            .csrf = digest_text(key_ + digest_text(found->name) + key_)};
}

identity gate::identify(const http_request& request, const secrets& known,
                        sign_ins& records) const {
    identity caller = user_with_token(request.header("Authorization"), known);
    if (!caller.known()) caller = user_of_proxy(request, known);
    if (!caller.known()) {
        const auto id = cookie_of(request.header("Cookie"), cookie_name("turnstile"));
        if (const auto found = records.find(id, boottime_clock::now()); found && !id.empty())
            caller = {.user = found->person.name,
                      .may = found->person.may,
                      .shared = found->shared,
                      .ticket = found->id,
                      .csrf = found->csrf};
    }
    caller.from = address_of(request);
    return caller;
}

void gate::check_change(const http_request& request, const identity& caller) {
    if (caller.csrf.empty()) return;  // a bearer token, which no browser sends by itself
    if (!same_secret(request.header("X-Turnstile-CSRF"), caller.csrf))
        throw refusal{403, "csrf",
                      "X-Turnstile-CSRF is not the value that /api/v1/me gives for this sign-in"};
}

}  // namespace turnstile::admin
