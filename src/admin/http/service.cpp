// SPDX-License-Identifier: Apache-2.0
#include "admin/http/service.hpp"

#include <array>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/write.hpp>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>

namespace turnstile::admin {
namespace {

namespace beast_http = boost::beast::http;

std::string date_text() {
    const auto now = std::time(nullptr);
    std::tm parts{};
    std::array<char, 40> text{};
    ::gmtime_r(&now, &parts);
    return {text.data(),
            std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace

std::string head_text(const http_response& response, const std::vector<http_header>& common,
                      const response_frame& frame) {
    constexpr unsigned k_http_1_1 = 11;
    beast_http::response<beast_http::empty_body> head;
    head.version(k_http_1_1);
    head.result(static_cast<unsigned>(response.status));
    head.set("Date", date_text());
    for (const auto* list : {&common, &response.headers})
        for (const auto& each : *list) {
            // Each cookie needs a separate header.
            if (same_name(each.name, "Set-Cookie"))
                head.insert(each.name, each.value);
            else
                head.set(each.name, each.value);
        }
    if (!response.type.empty()) head.set("Content-Type", response.type);
    const bool bare = response.status == 204 || response.status == 304;
    if (response.stream && !frame.http_1_0) head.set("Transfer-Encoding", "chunked");
    if (!response.stream && !bare) head.set("Content-Length", std::to_string(response.body.size()));
    if (frame.closes) head.set("Connection", "close");
    std::ostringstream text;
    text << head.base();
    return text.str();
}

http_response http_service::describe(const refusal& why) const {
    using json = nlohmann::ordered_json;
    const json body{{"error", {{"code", why.code()}, {"message", why.message()}}}};
    // The message may contain the request's bytes, which may be invalid UTF-8.
    http_response response{why.status(), "application/json",
                           body.dump(-1, ' ', false, json::error_handler_t::replace)};
    auto wait = why.retry_after().count();
    if (wait == 0 && why.status() == 429) wait = 5;
    if (wait == 0 && why.status() == 503) wait = 1;
    if (wait != 0) response.headers.push_back({"Retry-After", std::to_string(wait)});
    return response;
}

}  // namespace turnstile::admin
