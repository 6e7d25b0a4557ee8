// SPDX-License-Identifier: Apache-2.0
#include "admin/api/front_desk.hpp"

#include <utility>

#include "admin/api/changes.hpp"
#include "admin/api/events.hpp"
#include "admin/api/lock_words.hpp"
#include "admin/api/metrics.hpp"
#include "admin/assets.hpp"
#include "admin/http/limits.hpp"
#include "turnstile/version.hpp"

namespace turnstile::admin {
namespace {

constexpr const char* k_json = "application/json";
constexpr const char* k_text = "text/plain; charset=utf-8";

request_facts facts_of(const http_request& request) {
    const auto header = [&](const char* name) { return std::string{request.header(name)}; };
    return {.method = request.method,
            .target = request.target,
            .address = request.peer,
            .host = header("Host"),
            .origin = header("Origin"),
            .fetch_site = header("Sec-Fetch-Site"),
            .cookie = header("Cookie"),
            .authorization = header("Authorization"),
            .csrf = header("X-Turnstile-CSRF"),
            .content_type = header("Content-Type")};
}

http_response as_json(const json& body) {
    return {.type = k_json, .body = printed(body)};
}

json body_of(const http_request& request) {
    auto body = json::parse(request.body, nullptr, false);
    if (body.is_discarded() || !body.is_object())
        throw refusal{400, "bad_request", "the body is no JSON object"};
    return body;
}

http_response give_asset(const asset& file, const http_request& request) {
    const auto tag = '"' + digest_text(file.content).substr(0, 32) + '"';
    http_response response{.headers = {{"ETag", tag}, {"Cache-Control", "no-cache"}}};
    if (request.header("If-None-Match") == tag) {
        response.status = 304;
        return response;
    }
    response.type = content_type_of(file.name);
    response.body = file.content;
    return response;
}

http_response answer_file(std::string_view path, const http_request& request) {
    constexpr std::string_view k_folder = "/assets/";
    const asset* file = nullptr;
    if (is_page(path)) file = asset_called("index.html");
    if (path.starts_with(k_folder)) {
        const auto name = path.substr(k_folder.size());
        if (name != "index.html" && name != "openapi.json") file = asset_called(name);
    }
    if (file == nullptr)
        throw refusal{404, "not_found", std::string{path} + ": there is nothing here"};
    return give_asset(*file, request);
}

}  // namespace

http_response front_desk::describe(const refusal& why) const {
    auto response = http_service::describe(why);
    if (why.status() == 401 && !at_.known.token.empty())
        response.headers.push_back({"WWW-Authenticate", "Bearer"});
    return response;
}

void front_desk::check_needs(const route& found, const request_facts& facts,
                             const identity& caller) const {
    if (found.needs == need::nothing) return;
    if (found.needs == need::changing && at_.read_only)
        throw refusal{403, "read_only",
                      "this server changes nothing; it was started without --allow-changes"};
    if (at_.must_sign_in() && !caller.signed_in())
        throw refusal{401, "sign_in", "sign in with the password, or give the token"};
    if (found.needs == need::changing) gate::check_change(facts, caller);
}

http_plan front_desk::admit(const http_request& head) {
    const auto facts = facts_of(head);
    gate::check(facts);
    const auto path = path_of(head.target);
    bool known_path = false;
    const auto* const found = find_route(head.method, path, known_path);
    if (found != nullptr)
        check_needs(*found, facts, entrance_.identify(facts, at_.known, at_.signed_in));
    else if (known_path || head.method == "POST")
        throw refusal{known_path ? 405 : 404, known_path ? "method" : "not_found",
                      head.method + ": not for " + std::string{path}};
    // A monitor's answer comes from memory, however busy the others keep the server.
    return {.largest_body = head.method == "POST" ? k_largest_body : 0,
            .waits = path != "/healthz" && path != "/metrics"};
}

http_response front_desk::answer(const http_request& request, const http_plan& /*plan*/) {
    const auto facts = facts_of(request);
    const auto path = path_of(request.target);
    bool known_path = false;
    const auto* const found = find_route(request.method, path, known_path);
    if (found == nullptr) return answer_file(path, request);
    const auto caller = entrance_.identify(facts, at_.known, at_.signed_in);
    return answer_route(*found, facts, caller, request);
}

http_response front_desk::answer_route(const route& found, const request_facts& facts,
                                       const identity& caller, const http_request& request) {
    if (found.read != nullptr)
        return as_json(found.read(at_, query{request.target, found.parameters}));
    const query none{found.parameters.empty() ? request.target : std::string{}, {}};
    if (found.change != nullptr) return as_json(found.change(at_, body_of(request), facts.address));
    return answer_other(found, facts, caller, request);
}

http_response front_desk::answer_other(const route& found, const request_facts& facts,
                                       const identity& caller, const http_request& request) {
    if (found.path == "/api/v1/me") return as_json(me(caller));
    if (found.path == "/api/v1/sign-in") return sign_in(facts, request);
    if (found.path == "/api/v1/sign-out") return sign_out(facts, caller);
    if (found.path == "/api/v1/events")
        return stream(query{request.target, found.parameters}, facts);
    if (found.path == "/metrics")
        return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics(at_)};
    if (found.path == "/api/v1/openapi.json")
        return give_asset(*asset_called("openapi.json"), request);
    const auto reason = illness(at_);
    return {reason.empty() ? 200 : 503, k_text, (reason.empty() ? "ok" : reason) + "\n"};
}

json front_desk::me(const identity& caller) const {
    return {{"read_only", at_.read_only},
            {"must_sign_in", at_.must_sign_in()},
            {"signed_in", caller.signed_in()},
            {"csrf", caller.ticket ? json(caller.ticket->csrf) : json(nullptr)},
            {"version", TURNSTILE_VERSION},
            {"servers", at_.connect_string}};
}

http_response front_desk::sign_in(const request_facts& facts, const http_request& request) {
    entrance_.check_sign_in(facts.address);
    const auto body = body_of(request);
    const auto password = text_member(body, "password", true);
    if (!at_.known.is_password(password)) {
        entrance_.count_failed_sign_in(facts.address);
        try {
            at_.audit.add({.time = std::chrono::system_clock::now(),
                           .action = "sign_in_failed",
                           .from = facts.address,
                           .outcome = "refused"});
        } catch (const std::runtime_error&) {
            // It stands in memory; the sign-in is refused in any case.
        }
        throw refusal{401, "sign_in",
                      at_.known.password.empty() ? "this server has no password, only a token"
                                                 : "the password is another one"};
    }
    const auto ticket = at_.signed_in.begin(boottime_clock::now());
    return {.status = 204, .headers = {{"Set-Cookie", entrance_.cookie_header(ticket.id)}}};
}

http_response front_desk::sign_out(const request_facts& facts, const identity& caller) {
    if (caller.ticket) {
        gate::check_change(facts, caller);
        at_.signed_in.end(caller.ticket->id);
    }
    return {.status = 204, .headers = {{"Set-Cookie", entrance_.end_of_cookie()}}};
}

http_response front_desk::stream(const query& asked, const request_facts& facts) {
    std::optional<lock_key> lock;
    if (const auto path = asked.text("path"))
        lock = lock_key{lock_path(*path), lock_kind_named(asked.required("kind"))};
    const auto stays = [this, facts] {
        return !at_.must_sign_in() ||
               entrance_.identify(facts, at_.known, at_.signed_in).signed_in();
    };
    http_response response{.type = "text/event-stream"};
    response.headers.push_back({"X-Accel-Buffering", "no"});  // a proxy hands on what it gets
    response.stream = std::make_unique<event_stream>(at_, std::move(lock), stays);
    return response;
}

}  // namespace turnstile::admin
