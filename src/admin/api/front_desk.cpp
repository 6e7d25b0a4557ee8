// SPDX-License-Identifier: Apache-2.0
#include "admin/api/front_desk.hpp"

#include <utility>

#include "admin/api/changes.hpp"
#include "admin/api/events.hpp"
#include "admin/api/lock_words.hpp"
#include "admin/api/metrics.hpp"
#include "admin/assets.hpp"
#include "admin/http/http_server.hpp"
#include "turnstile/version.hpp"

namespace turnstile::admin {
namespace {

constexpr const char* k_json = "application/json";
constexpr const char* k_text = "text/plain; charset=utf-8";

bool has_body(const httplib::Request& request) {
    return request.has_header("Transfer-Encoding") ||
           (request.has_header("Content-Length") &&
            request.get_header_value("Content-Length") != "0");
}

void close_behind(httplib::Response& response) {
    response.set_header("Connection", "close");
    http_server::close_after_this();
}

request_facts facts_of(const httplib::Request& request) {
    request_facts facts;
    const auto header = [&](const char* name) {
        facts.repeated = facts.repeated || request.get_header_value_count(name) > 1;
        return request.get_header_value(name);
    };
    facts.method = request.method;
    facts.target = request.target;
    facts.address = request.remote_addr;
    facts.host = header("Host");
    facts.origin = header("Origin");
    facts.fetch_site = header("Sec-Fetch-Site");
    facts.cookie = header("Cookie");
    facts.authorization = header("Authorization");
    facts.csrf = header("X-Turnstile-CSRF");
    facts.content_type = header("Content-Type");
    header("Content-Length");
    facts.headers = request.headers.size();
    facts.body = has_body(request);
    facts.encoded_body = request.has_header("Content-Encoding");
    facts.ranges = request.has_header("Range");
    return facts;
}

void give(httplib::Response& response, int status, const json& body) {
    response.status = status;
    response.set_content(printed(body), k_json);
}

void give_error(httplib::Response& response, int status, const std::string& code,
                const std::string& message) {
    give(response, status, {{"error", {{"code", code}, {"message", message}}}});
}

json body_of(const httplib::Request& request) {
    auto body = json::parse(request.body, nullptr, false);
    if (body.is_discarded() || !body.is_object())
        throw refusal{400, "bad_request", "the body is no JSON object"};
    return body;
}

void set_asset(const asset& file, const httplib::Request& request, httplib::Response& response) {
    const auto tag = '"' + digest_text(file.content).substr(0, 32) + '"';
    response.set_header("ETag", tag);
    response.headers.erase("Cache-Control");
    response.set_header("Cache-Control", "no-cache");
    if (request.get_header_value("If-None-Match") == tag) {
        response.status = 304;
        return;
    }
    response.set_content(file.content.data(), file.content.size(),
                         std::string{content_type_of(file.name)});
}

}  // namespace

void front_desk::refuse(const refusal& why, httplib::Response& response) {
    ++at_.refused;
    if (why.status() == 429) response.set_header("Retry-After", "5");
    if (why.status() == 401 && !at_.known.token.empty())
        response.set_header("WWW-Authenticate", "Bearer");
    give_error(response, why.status(), why.code(), why.message());
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

void front_desk::admit(const httplib::Request& request) {
    const auto facts = facts_of(request);
    entrance_.check(facts);
    const auto path = path_of(request.target);
    bool known_path = false;
    const auto* const found = find_route(request.method, path, known_path);
    if (found != nullptr)
        return check_needs(*found, facts, entrance_.identify(facts, at_.known, at_.signed_in));
    if (known_path || request.method == "POST")
        throw refusal{known_path ? 405 : 404, known_path ? "method" : "not_found",
                      request.method + ": not for " + std::string{path}};
}

bool front_desk::refuses(const httplib::Request& request, httplib::Response& response) {
    try {
        admit(request);
        return false;
    } catch (const refusal& why) {
        refuse(why, response);
        if (has_body(request)) close_behind(response);  // it stays unread
        return true;
    }
}

void front_desk::answer(const httplib::Request& request, httplib::Response& response) {
    try {
        const auto facts = facts_of(request);
        const auto path = path_of(request.target);
        bool known_path = false;
        const auto* const found = find_route(request.method, path, known_path);
        if (found == nullptr) return answer_file(path, request, response);
        const auto caller = entrance_.identify(facts, at_.known, at_.signed_in);
        answer_route(*found, facts, caller, request, response);
        ++at_.answered;
    } catch (const refusal& why) {
        refuse(why, response);
    }
}

void front_desk::answer_route(const route& found, const request_facts& facts,
                              const identity& caller, const httplib::Request& request,
                              httplib::Response& response) {
    if (found.read != nullptr)
        return give(response, 200, found.read(at_, query{request.target, found.parameters}));
    const query none{found.parameters.empty() ? request.target : std::string{}, {}};
    if (found.change != nullptr)
        return give(response, 200, found.change(at_, body_of(request), facts.address));
    answer_other(found, facts, caller, request, response);
}

void front_desk::answer_other(const route& found, const request_facts& facts,
                              const identity& caller, const httplib::Request& request,
                              httplib::Response& response) {
    if (found.path == "/api/v1/me") return give(response, 200, me(caller));
    if (found.path == "/api/v1/sign-in") return sign_in(facts, request, response);
    if (found.path == "/api/v1/sign-out") return sign_out(facts, caller, response);
    if (found.path == "/api/v1/events")
        return stream(query{request.target, found.parameters}, facts, response);
    if (found.path == "/metrics")
        return response.set_content(metrics(at_), "text/plain; version=0.0.4; charset=utf-8");
    if (found.path == "/api/v1/openapi.json")
        return set_asset(*asset_called("openapi.json"), request, response);
    const auto reason = illness(at_);
    response.status = reason.empty() ? 200 : 503;
    response.set_content((reason.empty() ? "ok" : reason) + "\n", k_text);
}

void front_desk::answer_file(std::string_view path, const httplib::Request& request,
                             httplib::Response& response) {
    constexpr std::string_view k_folder = "/assets/";
    const asset* file = nullptr;
    if (is_page(path)) file = asset_called("index.html");
    if (path.starts_with(k_folder)) {
        const auto name = path.substr(k_folder.size());
        if (name != "index.html" && name != "openapi.json") file = asset_called(name);
    }
    if (file == nullptr)
        throw refusal{404, "not_found", std::string{path} + ": there is nothing here"};
    set_asset(*file, request, response);
}

json front_desk::me(const identity& caller) const {
    return {{"read_only", at_.read_only},
            {"must_sign_in", at_.must_sign_in()},
            {"signed_in", caller.signed_in()},
            {"csrf", caller.ticket ? json(caller.ticket->csrf) : json(nullptr)},
            {"version", TURNSTILE_VERSION},
            {"servers", at_.connect_string}};
}

void front_desk::sign_in(const request_facts& facts, const httplib::Request& request,
                         httplib::Response& response) {
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
    response.set_header("Set-Cookie", entrance_.cookie_header(ticket.id));
    response.status = 204;
}

void front_desk::sign_out(const request_facts& facts, const identity& caller,
                          httplib::Response& response) {
    if (caller.ticket) {
        gate::check_change(facts, caller);
        at_.signed_in.end(caller.ticket->id);
    }
    response.set_header("Set-Cookie", entrance_.end_of_cookie());
    response.status = 204;
}

void front_desk::stream(const query& asked, const request_facts& facts,
                        httplib::Response& response) {
    std::optional<lock_key> lock;
    if (const auto path = asked.text("path"))
        lock = lock_key{lock_path(*path), lock_kind_named(asked.required("kind"))};
    const auto events = std::make_shared<event_stream>(at_, std::move(lock));
    response.set_header("X-Accel-Buffering", "no");  // a proxy hands on what it gets
    response.set_chunked_content_provider(
        "text/event-stream", [this, events, facts](std::size_t, httplib::DataSink& sink) {
            // A sign-in that is over takes its streams with it.
            const bool stays = !at_.must_sign_in() ||
                               entrance_.identify(facts, at_.known, at_.signed_in).signed_in();
            const auto part = stays ? events->next() : std::nullopt;
            if (!part) {
                sink.done();
                return true;
            }
            return part->empty() || sink.write(part->data(), part->size());
        });
}

void front_desk::describe_failure(const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty() || response.status == 304) return;
    close_behind(response);
    if (response.status == 413)
        return give_error(response, 413, "too_large", "the body has more than 16384 bytes");
    if (response.status >= 500)
        return give_error(response, response.status, "failure", "the server failed");
    give_error(response, response.status, "bad_request", "this is no request that is understood");
}

}  // namespace turnstile::admin
