// SPDX-License-Identifier: Apache-2.0
#include "admin/http/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <charconv>
#include <utility>

#include "admin/http/limits.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_around_target = 32;  // method, spaces and version
constexpr std::string_view k_version = "HTTP/1.";

refusal bad_head(const std::string& rule) {
    return refusal{400, "bad_request", rule};
}

bool is_control(char byte) noexcept {
    return (static_cast<unsigned char>(byte) < ' ' && byte != '\t' && byte != '\r') ||
           byte == '\x7f';
}

bool is_visible(char byte) noexcept {
    return byte > ' ' && byte < '\x7f';
}

// Checks a line such as "GET /path HTTP/1.1".
void check_request_line(std::string_view line) {
    if (line.empty()) throw bad_head("an empty line precedes the request");
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
        throw bad_head("the request line is not METHOD TARGET VERSION");
    const auto target = line.substr(first + 1, last - first - 1);
    if (target.size() > k_longest_target)
        throw refusal{414, "too_large", "the address has more than 4096 bytes"};
    if (!std::ranges::all_of(target, is_visible))
        throw bad_head("the address has a byte that is no visible ASCII character");
    const auto version = line.substr(last + 1);
    if (version == "HTTP/1.1" || version == "HTTP/1.0") return;
    if (version.starts_with("HTTP/") && !version.starts_with(k_version))
        throw refusal{505, "version", "the version of HTTP is neither 1.1 nor 1.0"};
    throw bad_head("the request line does not end with the version 1.1 or 1.0 of HTTP");
}

}  // namespace

void head_scan::check_line(std::string_view line) {
    if (lines_ == 0) return check_request_line(line);
    if (line.starts_with(' ') || line.starts_with('\t'))
        throw bad_head("a header continues in the next line, or has a space before its name");
    if (lines_ > k_most_headers && !line.empty())
        throw refusal{431, "too_large", "the request has more than 64 headers"};
}

std::optional<std::size_t> head_scan::find_end(std::string_view bytes) {
    for (; seen_ != bytes.size(); ++seen_) {
        if (seen_ == k_largest_head)
            throw refusal{431, "too_large", "the head of the request has more than 32768 bytes"};
        if (lines_ == 0 && seen_ - line_ > k_longest_target + k_around_target)
            throw refusal{414, "too_large", "the request line has more than 4128 bytes"};
        const char byte = bytes[seen_];
        const bool behind_return = seen_ != line_ && bytes[seen_ - 1] == '\r';
        if (behind_return != (byte == '\n'))
            throw bad_head("a line of the head does not end with CR and LF");
        if (byte != '\n') {
            if (is_control(byte)) throw bad_head("the head has a control character");
            continue;
        }
        const auto line = bytes.substr(line_, seen_ - 1 - line_);
        check_line(line);
        ++lines_;
        line_ = seen_ + 1;
        if (line.empty()) return line_;
    }
    return std::nullopt;
}

namespace {

namespace beast = boost::beast;

constexpr std::size_t k_most_digits = 18;  // digits of a length: the number cannot overflow

refusal misread(const std::string& rule) {
    return refusal{400, "bad_request", rule};
}

std::size_t length_of(std::string_view digits) {
    std::size_t length = 0;
    const auto* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, length);
    if (digits.size() > k_most_digits || read.ec != std::errc{} || read.ptr != end)
        throw misread("Content-Length is " + std::string{digits} + ": expected a number");
    return length;
}

}  // namespace

request_reader::request_reader(http_request blank) : blank_{std::move(blank)} {}

void request_reader::put(std::string_view bytes) {
    bytes_ += bytes;
    if (has_head_) return;
    const auto end = scan_.find_end(bytes_);
    if (!end) return;
    read_head(std::string_view{bytes_}.substr(0, *end));
    bytes_.erase(0, *end);
    scan_ = {};
    check_framing();
    check_target();
    has_head_ = true;
}

void request_reader::read_head(std::string_view head) {
    beast::http::request_parser<beast::http::empty_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(k_largest_head));
    parser.skip(true);  // request_reader reads the body itself
    beast::error_code error;
    const auto used = parser.put(boost::asio::buffer(head.data(), head.size()), error);
    if (error || !parser.is_header_done() || used != head.size())
        throw misread("the request is not valid HTTP" +
                      (error ? ": " + error.message() : std::string{}));
    const auto& seen = parser.get();
    const auto text = [](const auto& part) { return std::string{part.data(), part.size()}; };
    request_ = blank_;
    request_.method = text(seen.method_string());
    request_.target = text(seen.target());
    for (const auto& each : seen)
        request_.headers.push_back({text(each.name_string()), text(each.value())});
    http_1_0_ = seen.version() == 10;
    last_ = http_1_0_ || !seen.keep_alive();
}

// Refuses a request whose headers allow two interpretations of the body's length. If a proxy saw an earlier end than
// this server, the proxy would treat the rest of the body as another request.
void request_reader::check_framing() {
    const auto lengths = request_.count("Content-Length");
    const auto hosts = request_.count("Host");
    if (lengths > 1)
        throw misread("the request has several Content-Length headers; one is allowed");
    if (request_.count("Transfer-Encoding") != 0) {
        const bool is_chunked = request_.count("Transfer-Encoding") == 1 && lengths == 0 &&
                                same_name(request_.header("Transfer-Encoding"), "chunked");
        if (!is_chunked)
            throw misread("Transfer-Encoding is not supported: send the body with Content-Length");
        throw refusal{411, "length", "the body has no Content-Length"};
    }
    if (hosts > 1 || (hosts == 0 && !http_1_0_))
        throw misread("the request has " + std::to_string(hosts) +
                      " Host headers; exactly one is required");
    if (request_.count("Expect") != 0)
        throw refusal{417, "expect", "Expect is not supported: send the body at once"};
    body_ = lengths == 0 ? 0 : length_of(request_.header("Content-Length"));
}

// The target may have the form for proxies, "http://NAME/PATH". NAME must then equal `Host`, which is checked later.
void request_reader::check_target() {
    auto& target = request_.target;
    const auto authority = target.find("://");
    if (target.starts_with("http://") || target.starts_with("https://")) {
        const auto begin = authority + 3;
        const auto end = std::min(target.find_first_of("/?", begin), target.size());
        if (!same_name(target.substr(begin, end - begin), request_.header("Host")))
            throw misread("the address names another host than the header Host");
        target.erase(0, end);
        if (!target.starts_with('/')) target.insert(0, "/");
    }
    if (!target.starts_with('/')) throw misread("the address does not begin with /");
    if (target.find('#') != std::string::npos)
        throw misread("the address has a fragment (#), which no client may send");
}

void request_reader::expect_body(std::size_t largest) const {
    if (body_ == 0) return;
    if (largest == 0) throw misread(request_.method + ": this request must not have a body");
    if (body_ > largest)
        throw refusal{413, "too_large",
                      "the body has more than " + std::to_string(largest) + " bytes"};
}

http_request request_reader::take() {
    request_.body = bytes_.substr(0, body_);
    bytes_.erase(0, body_);
    body_ = 0;
    has_head_ = false;
    return std::exchange(request_, {});
}

}  // namespace turnstile::admin
