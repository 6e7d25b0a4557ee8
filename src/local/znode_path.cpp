// SPDX-License-Identifier: Apache-2.0
#include "local/znode_path.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "support/utf8.hpp"

namespace turnstile::local {
namespace {

// Calls `accepts` for each name of the path. Returns false at the first name that `accepts` refuses.
template <class Accepts>
bool all_names(std::string_view path, const Accepts& accepts) {
    std::size_t begin = 1;
    while (begin <= path.size()) {
        std::size_t end = path.find('/', begin);
        if (end == std::string_view::npos) end = path.size();
        if (!accepts(path.substr(begin, end - begin), end == path.size())) return false;
        begin = end + 1;
    }
    return true;
}

bool is_relative(std::string_view name) noexcept {
    return name == "." || name == "..";
}

bool server_accepts_character(char32_t c) noexcept {
    if (c <= 0x1f) return false;
    if (c >= 0x7f && c <= 0x9f) return false;
    if (c >= 0xd800 && c <= 0xf8ff) return false;
    return c < 0xfff0;
}

// Refuses invalid UTF-8 as well: the servers replace it by U+FFFD, which is a forbidden character.
bool server_accepts_characters(std::string_view path) noexcept {
    while (!path.empty()) {
        const auto [code_point, length] = support::decode_utf8(path);
        if (length == 0 || !server_accepts_character(code_point)) return false;
        path.remove_prefix(length);
    }
    return true;
}

}  // namespace

std::string parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0) return "/";
    return std::string{path.substr(0, slash)};
}

std::string_view name_of(std::string_view path) noexcept {
    return path.substr(path.rfind('/') + 1);
}

bool has_parent(std::string_view path) noexcept {
    return path.find('/') != std::string_view::npos && path.find('\0') == std::string_view::npos;
}

bool client_accepts_path(std::string_view path, path_use use) noexcept {
    if (path.empty() || path.front() != '/') return false;
    if (path.size() == 1) return true;
    for (const char c : path) {
        if (c >= 0 && c < 0x1f) return false;  // the client leaves 0x1f to the servers
    }
    const bool number_follows = use == path_use::sequential;
    return all_names(path, [&](std::string_view name, bool last) {
        if (last && number_follows) return true;
        return !name.empty() && !is_relative(name);
    });
}

bool server_accepts_path(std::string_view path) noexcept {
    if (path.empty() || path.front() != '/') return false;
    if (path.size() == 1) return true;
    if (!server_accepts_characters(path)) return false;
    return all_names(
        path, [](std::string_view name, bool) { return !name.empty() && !is_relative(name); });
}

bool is_system_path(std::string_view path) noexcept {
    return path == "/" || path == "/zookeeper" || path == "/zookeeper/quota" ||
           path == "/zookeeper/config";
}

namespace {

template <class Op>
bool accepts(const Op& op) noexcept {
    if constexpr (requires { op.mode; }) {
        const path_use use = core::is_sequential(op.mode) ? path_use::sequential : path_use::plain;
        return client_accepts_path(op.path, use);
    } else {
        return client_accepts_path(op.path, path_use::plain);
    }
}

bool accepts(const core::multi_part& part) noexcept {
    const auto* create = std::get_if<core::create_op>(&part);
    if (create != nullptr && create->mode == core::create_mode::container) return false;
    return std::visit([](const auto& op) { return accepts(op); }, part);
}

bool accepts(const core::multi_op& op) noexcept {
    return std::all_of(op.parts.begin(), op.parts.end(),
                       [](const core::multi_part& part) { return accepts(part); });
}

}  // namespace

bool client_accepts(const core::operation& op) noexcept {
    return std::visit([](const auto& each) { return accepts(each); }, op);
}

}  // namespace turnstile::local
