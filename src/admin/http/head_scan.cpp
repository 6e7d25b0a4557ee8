// SPDX-License-Identifier: Apache-2.0
#include "admin/http/head_scan.hpp"

#include <algorithm>

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

}  // namespace turnstile::admin
