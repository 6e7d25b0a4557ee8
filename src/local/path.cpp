#include "local/path.hpp"

#include <cstddef>
#include <cstdint>

namespace turnstile::local {
namespace {

constexpr char32_t k_malformed = 0xfffd;  // what the servers' decoder makes of a broken sequence

// Splits at '/', calling `accepts` for each name until one is refused.
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

// The code point that starts at `text[at]`; moves `at` behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
    const auto first = static_cast<unsigned char>(text[at++]);
    if (first < 0x80) return first;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
    if (more == 0) return k_malformed;
    auto point = static_cast<char32_t>(first & (0x3fU >> more));
    for (int i = 0; i < more; ++i) {
        if (at >= text.size()) return k_malformed;
        const auto next = static_cast<unsigned char>(text[at]);
        if ((next & 0xc0U) != 0x80U) return k_malformed;
        point = (point << 6U) | (next & 0x3fU);
        ++at;
    }
    return point;
}

bool server_accepts_character(char32_t c) noexcept {
    if (c <= 0x1f) return false;
    if (c >= 0x7f && c <= 0x9f) return false;
    if (c >= 0xd800 && c <= 0xf8ff) return false;
    return c < 0xfff0;
}

bool server_accepts_characters(std::string_view path) noexcept {
    for (std::size_t at = 0; at < path.size();) {
        if (!server_accepts_character(next_code_point(path, at))) return false;
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

bool client_accepts_path(std::string_view path, path_use use) noexcept {
    if (path.empty() || path.front() != '/') return false;
    if (path.size() == 1) return true;
    for (const char c : path) {
        if (c >= 0 && c < 0x1f) return false;  // 0x1f itself is left to the servers
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

}  // namespace turnstile::local
