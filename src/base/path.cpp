// SPDX-License-Identifier: Apache-2.0
#include "base/path.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <optional>

#include "support/utf8.hpp"

namespace turnstile::base {
namespace {

constexpr std::size_t k_longest_quote = 80;

error refused(std::string_view path, std::string_view rule) {
    return {errc::bad_path, fmt::format("path {}: {}", printable(path), rule)};
}

// Returns the rule that a character of the path breaks; empty if no character breaks a rule.
std::string check_characters(std::string_view path) {
    for (std::size_t at = 0; at < path.size();) {
        const auto [code_point, length] = support::decode_utf8(path.substr(at));
        if (length == 0) return fmt::format("byte {} is not valid UTF-8", at);
        if (!allowed_in_path(code_point)) {
            return fmt::format("character U+{:04X} at byte {} is not allowed",
                               static_cast<std::uint32_t>(code_point), at);
        }
        at += length;
    }
    return {};
}

std::string check_segments(std::string_view path) {
    std::string_view rest = path.substr(1);
    for (bool more = true; more;) {
        const auto slash = rest.find('/');
        more = slash != std::string_view::npos;
        const std::string_view segment = rest.substr(0, slash);
        if (segment.empty()) return "must not contain an empty name (\"//\")";
        if (segment == "." || segment == "..") {
            return fmt::format("must not contain the name \"{}\"", segment);
        }
        if (more) rest.remove_prefix(slash + 1);
    }
    return {};
}

}  // namespace

// Java's server uses UTF-16, where a character above the basic plane is a pair of surrogates, which the server refuses.
bool allowed_in_path(char32_t c) noexcept {
    return c > 0x1f && !(c >= 0x7f && c <= 0x9f) && !(c >= 0xd800 && c <= 0xf8ff) && c < 0xfff0;
}

result<void> validate_path(std::string_view path) {
    if (path.empty()) return refused(path, "must not be empty");
    if (path.front() != '/') return refused(path, "must start with \"/\"");
    if (path.size() > k_longest_path) {
        return refused(path, fmt::format("has {} bytes, more than the {} that are allowed",
                                         path.size(), k_longest_path));
    }
    if (path.size() == 1) return {};
    if (path.back() == '/') return refused(path, "must not end with \"/\"");
    if (const auto rule = check_characters(path); !rule.empty()) return refused(path, rule);
    if (const auto rule = check_segments(path); !rule.empty()) return refused(path, rule);
    return {};
}

std::vector<std::string> path_from_root(const std::string& path) {
    std::vector<std::string> all;
    if (path == "/") return all;
    for (auto at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        all.push_back(path.substr(0, at));
    all.push_back(path);
    return all;
}

std::string printable(std::string_view text) {
    std::string out = "\"";
    for (const char c : text.substr(0, k_longest_quote)) {
        if (c == '"' || c == '\\') {
            out += {'\\', c};
        } else if (c >= 0x20 && c < 0x7f) {
            out += c;
        } else {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    return out + (text.size() > k_longest_quote ? "\"..." : "\"");
}

}  // namespace turnstile::base
