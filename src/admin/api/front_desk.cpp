// SPDX-License-Identifier: Apache-2.0
#include "admin/api/front_desk.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "admin/api/audit_pages.hpp"
#include "admin/api/changes.hpp"
#include "admin/api/lock_filter.hpp"
#include "admin/api/metrics.hpp"
#include "admin/api/overview.hpp"
#include "admin/assets.hpp"
#include "admin/http/limits.hpp"
#include "turnstile/metric_family.hpp"
#include "turnstile/version.hpp"

namespace turnstile::admin {
namespace {

// Sends server-sent events to one browser: a new snapshot, a change of a lock, and whether the snapshot has become
// stale or fresh.
//
// Thread safety: one thread.
class event_stream : public http_stream {
public:
    // When the user's sign-in has ended, `stays` returns false, and the stream ends. Without a `lock`, the stream
    // covers all locks.
    event_stream(site& at, std::optional<lock_key> lock, std::function<bool()> stays);

    [[nodiscard]] std::optional<std::string> next() override;

private:
    [[nodiscard]] std::string events(const view& seen);
    [[nodiscard]] std::string changed(const view& seen);

    site& at_;
    const std::optional<lock_key> lock_;
    const std::function<bool()> stays_;
    bool begun_ = false;
    std::uint64_t change_ = 0;
    std::optional<bool> stale_;
    shared_snapshot told_;
    boottime_clock::time_point last_;
};

constexpr std::chrono::seconds k_keep_alive{15};

std::string event(const char* name, std::uint64_t version, const json& data) {
    return "event: " + std::string{name} + "\nid: " + std::to_string(version) +
           "\ndata: " + printed(data) + "\n\n";
}

const surveyed_lock* lock_in(const shared_snapshot& seen, const lock_key& key) {
    if (!seen) return nullptr;
    const auto place = place_of(seen->survey, key.first, key.second);
    return place ? &seen->survey.locks[*place] : nullptr;
}

bool same(const surveyed_lock* a, const surveyed_lock* b) {
    return a == nullptr || b == nullptr ? a == b : same_queue(*a, *b);
}

event_stream::event_stream(site& at, std::optional<lock_key> lock, std::function<bool()> stays)
    : at_{at}, lock_{std::move(lock)}, stays_{std::move(stays)}, last_{boottime_clock::now()} {}

std::string event_stream::changed(const view& seen) {
    const auto before = std::exchange(told_, seen.seen);
    if (!seen.seen || before == seen.seen) return {};
    json data{{"as_of", utc(seen.seen->as_of)}};
    if (!lock_) data["totals"] = json_of(seen.seen->totals);
    data["version"] = seen.seen->version;
    if (!lock_) return event("overview", seen.seen->version, data);
    if (before && same(lock_in(before, *lock_), lock_in(seen.seen, *lock_))) return {};
    return event("lock", seen.seen->version, data);
}

std::string event_stream::events(const view& seen) {
    std::string text = changed(seen);
    const bool turned = stale_ ? *stale_ != seen.stale : seen.stale;
    stale_ = seen.stale;
    if (turned)
        text += event(seen.stale ? "stale" : "fresh", seen.seen ? seen.seen->version : 0,
                      {{"problem", seen.problem}});
    return text;
}

std::optional<std::string> event_stream::next() {
    if (at_.reading.over() || !stays_()) return std::nullopt;
    std::string text;
    if (!std::exchange(begun_, true)) text = "retry: 2000\n\n";
    if (lock_) at_.reading.look_at(lock_->first);
    const auto seen = at_.reading.look();
    if (seen.change != std::exchange(change_, seen.change)) text += events(seen);
    const auto now = boottime_clock::now();
    if (text.empty() && now - last_ >= k_keep_alive) text = ": still there\n\n";
    if (!text.empty()) last_ = now;
    return text;
}

constexpr const char* k_json = "application/json";
constexpr const char* k_text = "text/plain; charset=utf-8";

role role_for(need wanted) noexcept {
    switch (wanted) {
        case need::nothing: return role::none;
        case need::looking: return role::look;
        case need::asking: return role::ask;
        case need::taking: return role::take;
    }
    return role::take;
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
        throw refusal{404, "not_found",
                      std::string{path} + ": this server has nothing at this path"};
    return give_asset(*file, request);
}

}  // namespace

http_response front_desk::describe(const refusal& why) const {
    auto response = http_service::describe(why);
    if (why.status() == 401 && at_.known.takes_tokens())
        response.headers.push_back({"WWW-Authenticate", "Bearer"});
    return response;
}

identity front_desk::caller_of(const http_request& request) const {
    auto caller = entrance_.identify(request, at_.known, at_.signed_in);
    if (!at_.must_sign_in()) caller.may = role::look;
    return caller;
}

void front_desk::check_needs(const route& found, const http_request& request,
                             const identity& caller) const {
    if (found.needs == need::nothing) return;
    const auto wanted = role_for(found.needs);
    const bool changes = wanted > role::look;
    if (changes && at_.read_only)
        throw refusal{403, "read_only",
                      "this server is read-only, because it was started without --allow-changes"};
    if (!caller.known())
        throw refusal{401, "sign_in", "sign in with the password, or give the token"};
    if (caller.may < wanted)
        throw refusal{403, "role",
                      caller.user + " has the role " + to_string(caller.may) +
                          "; this request needs the role " + to_string(wanted)};
    if (changes) gate::check_change(request, caller);
}

http_plan front_desk::admit(const http_request& head) {
    entrance_.check(head);
    const auto path = path_of(head.target);
    bool known_path = false;
    const auto* const found = find_route(head.method, path, known_path);
    if (found != nullptr)
        check_needs(*found, head, caller_of(head));
    else if (known_path || head.method == "POST")
        throw refusal{known_path ? 405 : 404, known_path ? "method" : "not_found",
                      head.method + ": not for " + std::string{path}};
    // The answers for monitoring programs come from memory, and the loop's thread makes them. So these programs get
    // answers even if all other threads of the server are busy.
    return {.largest_body = head.method == "POST" ? k_largest_body : 0,
            .waits = path != "/healthz" && path != "/metrics"};
}

http_response front_desk::answer(const http_request& request, const http_plan& /*plan*/) {
    const auto path = path_of(request.target);
    bool known_path = false;
    const auto* const found = find_route(request.method, path, known_path);
    if (found == nullptr) return answer_file(path, request);
    return answer_route(*found, caller_of(request), request);
}

http_response front_desk::answer_route(const route& found, const identity& caller,
                                       const http_request& request) {
    if (found.read != nullptr)
        return as_json(found.read(at_, query{request.target, found.parameters}));
    const query none{found.parameters.empty() ? request.target : std::string{}, {}};
    if (found.change != nullptr) return as_json(found.change(at_, body_of(request), caller));
    return answer_other(found, caller, request);
}

http_response front_desk::answer_other(const route& found, const identity& caller,
                                       const http_request& request) {
    if (found.path == "/api/v1/me") return as_json(me(caller));
    if (found.path == "/api/v1/sign-in") return sign_in(caller, request);
    if (found.path == "/api/v1/sign-out") return sign_out(caller, request);
    if (found.path == "/api/v1/events")
        return stream(request, query{request.target, found.parameters});
    if (found.path == "/api/v1/audit.csv")
        return {.type = "text/csv; charset=utf-8",
                .body = audit_csv(at_, query{request.target, found.parameters}),
                .headers = {{"Content-Disposition", "attachment; filename=turnstile-audit.csv"}}};
    if (found.path == "/metrics")
        return {.type = std::string{k_prometheus_content_type}, .body = metrics(at_)};
    if (found.path == "/api/v1/openapi.json")
        return give_asset(*asset_called("openapi.json"), request);
    const auto reason = illness(at_);
    return {reason.empty() ? 200 : 503, k_text, (reason.empty() ? "ok" : reason) + "\n"};
}

// A user that has not signed in gets only the facts about signing in.
json front_desk::me(const identity& caller) const {
    const auto told = [&](json value) { return caller.known() ? std::move(value) : json(nullptr); };
    return {{"must_sign_in", at_.must_sign_in()},
            {"signed_in", at_.must_sign_in() && caller.known()},
            {"names", at_.known.named.have_passwords()},
            {"sign_out", !caller.ticket.empty()},
            {"user", told(caller.user)},
            {"shared", told(caller.shared)},
            {"role", to_string(caller.may)},
            {"csrf", caller.csrf.empty() ? json(nullptr) : json(caller.csrf)},
            {"read_only", told(at_.read_only)},
            {"version", told(TURNSTILE_VERSION)},
            {"servers", told(at_.connect_string)}};
}

http_response front_desk::sign_in(const identity& caller, const http_request& request) {
    const auto body = body_of(request);
    const auto name = text_member(body, "user", false);
    const auto password = text_member(body, "password", true);
    try {
        const auto ticket =
            at_.door.enter({caller.from, entrance_.browser_of(request)}, name, password);
        const auto browser = at_.signed_in.remember_browser(boottime_clock::now());
        return {.status = 204,
                .headers = {{"Set-Cookie", entrance_.cookie_header(ticket.id)},
                            {"Set-Cookie", entrance_.browser_cookie_header(browser)}}};
    } catch (const refusal& why) {
        // Does not record an unknown name, because it may be a password in the wrong field.
        if (why.status() == 401)
            at_.audit.add_failure(at_.known.named.know(name) ? name : std::string{}, caller.from);
        throw;
    }
}

http_response front_desk::sign_out(const identity& caller, const http_request& request) {
    if (!caller.ticket.empty()) {
        gate::check_change(request, caller);
        at_.signed_in.end(caller.ticket);
    }
    return {.status = 204, .headers = {{"Set-Cookie", entrance_.end_of_cookie()}}};
}

http_response front_desk::stream(const http_request& request, const query& asked) {
    std::optional<lock_key> lock;
    if (const auto path = asked.text("path"))
        lock = lock_key{lock_path(*path), lock_kind_named(asked.required("kind"))};
    const auto stays = [this, request] { return caller_of(request).known(); };
    http_response response{.type = "text/event-stream"};
    response.headers.push_back({"X-Accel-Buffering", "no"});  // a proxy must not buffer the stream
    response.stream = std::make_unique<event_stream>(at_, std::move(lock), stays);
    return response;
}

}  // namespace turnstile::admin
