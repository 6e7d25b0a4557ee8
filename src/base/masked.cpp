// SPDX-License-Identifier: Apache-2.0
#include "base/masked.hpp"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <optional>

#include "base/path.hpp"
#include "base/percent.hpp"

namespace turnstile::base {
namespace {

constexpr std::string_view k_mask = "***";
constexpr std::array<std::string_view, 5> k_secret_words{"pass", "pwd", "auth", "secret", "token"};

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

bool is_word_character(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

// Returns the position after "scheme://"; nullopt if the text does not begin with a scheme. In "u:secret@h://" the text
// before the '@' is a user and a password, and no scheme.
std::optional<std::size_t> end_of_scheme(std::string_view text) noexcept {
    const auto slashes = text.find("://");
    if (slashes == std::string_view::npos ||
        text.substr(0, slashes).find_first_of(":@/") != std::string_view::npos)
        return std::nullopt;
    return slashes + 3;
}

bool is_path_of_one_process(std::string_view text) noexcept {
    return text.starts_with("sqlite:") || text.starts_with("local:");
}

// Returns the position where the user or the host begins: after "scheme://", or after a mistyped scheme that lacks its
// colon or a slash; 0 for ZooKeeper's "host:port".
std::size_t begin_of_user(std::string_view text) noexcept {
    if (const auto end = end_of_scheme(text)) return *end;
    if (is_path_of_one_process(text)) return text.size();
    const auto end = std::min(text.find_first_of(":/"), text.size());
    const auto rest = text.substr(end);
    const bool is_name = end != 0 && std::all_of(text.begin(), text.begin() + end, [](char c) {
                             return is_word_character(c) || c == '+';
                         });
    const bool is_port = rest.starts_with(':') && rest.size() > 1 && is_digit(rest[1]);
    if (!is_name || is_port || rest.size() < 2 || (rest[0] == '/' && rest[1] != '/')) return 0;
    return std::min(text.find_first_not_of('/', end + 1), text.size());
}

// Returns the position of the last '@' before the host; npos if there is none. An '@' after "?name=" belongs to a
// parameter. In a Redis connect string only two parameters may contain an '@': sentinel_username and sentinel_password.
std::size_t end_of_user(std::string_view text, std::size_t begin) noexcept {
    auto end = text.find('=', std::min(text.find('?', begin), text.size()));
    if (text.starts_with("redis"))
        end = std::min(text.find("sentinel_username="), text.find("sentinel_password="));
    // libpq takes all text before an '@' for the user, if that '@' precedes the first '/'. An '@' after "?name=" is no
    // exception.
    if (text.starts_with("postgres")) end = std::max(end, text.find('/', begin));
    if (begin == 0) end = std::string_view::npos;
    const auto at = text.substr(0, end).rfind('@');
    return at == std::string_view::npos || at < begin ? std::string_view::npos : at;
}

// Returns the position of the first colon that no port follows and that is not inside an address in brackets; npos if
// there is none.
std::size_t first_colon_without_port(std::string_view text) noexcept {
    bool in_brackets = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '[' || text[at] == ']') in_brackets = text[at] == '[';
        if (text[at] != ':' || in_brackets) continue;
        const auto end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
        const bool is_port =
            end != at + 1 && (end == text.size() ||
                              std::string_view{",/?"}.find(text[end]) != std::string_view::npos);
        if (!is_port) return at;
    }
    return std::string_view::npos;
}

// The position of a password in a connect string: from the colon (without a colon, from the slashes) to the '@'. Empty
// if there is no '@'.
struct password_place {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_certain = false;  // false: it may be a user without a password, or a part of a path
};

password_place from_colon(std::size_t colon, std::size_t at, bool is_certain) noexcept {
    return colon < at ? password_place{colon + 1, at, is_certain} : password_place{};
}

password_place password_of_user(std::string_view text) noexcept {
    if (is_path_of_one_process(text)) {
        const auto at = text.rfind('@');
        return at == std::string_view::npos
                   ? password_place{}
                   : from_colon(text.find(':', text.find(':') + 1), at, false);
    }
    const auto begin = begin_of_user(text);
    const auto at = end_of_user(text, begin);
    if (at == std::string_view::npos) return {};
    const auto colon = text.find(':', begin);
    if (begin == 0) {
        // In a ZooKeeper connect string, the list of servers contains no '@' and no colon without a port. The path
        // behind the list may contain both.
        const auto path = text.find('/');
        const auto secret = text.find('@') < path ? colon : first_colon_without_port(text);
        return from_colon(secret, at, secret < path);
    }
    // Without "://" the word before the colon may be a scheme or the user: "redis:u:secret@h", "u:se:cret@h".
    if (!end_of_scheme(text)) return {begin, at, text[begin - 1] == ':' || colon < at};
    return colon < at ? from_colon(colon, at, true) : password_place{begin, at};
}

// If the text is "user:password" without a host, returns the position after its first colon, otherwise the text's end.
// A number after the colon is a port, and colons in brackets belong to an IPv6 address.
std::size_t begin_of_lone_password(std::string_view text) noexcept {
    const auto begin = begin_of_user(text);
    const auto end = std::min(text.find_first_of("/?", begin), text.size());
    bool in_brackets = false;
    for (auto at = begin; begin != 0 && at < end; ++at) {
        if (text[at] == '[' || text[at] == ']') in_brackets = text[at] == '[';
        if (text[at] != ':' || in_brackets) continue;
        const auto stop = std::min(text.find(',', at), end);
        if (!std::all_of(text.begin() + at + 1, text.begin() + stop, is_digit)) return at + 1;
    }
    return text.size();
}

bool is_secret(std::string_view name) {
    return std::any_of(k_secret_words.begin(), k_secret_words.end(), [&](std::string_view word) {
        return boost::algorithm::icontains(name, word);
    });
}

// Returns the position of the '&' that ends the value, or the text's end. An '&' that no "name=" follows belongs to the
// value.
std::size_t end_of_value(std::string_view text, std::size_t begin) noexcept {
    auto end = std::min(text.find('&', begin), text.size());
    while (end < text.size()) {
        const auto next = std::min(text.find('&', end + 1), text.size());
        if (text.substr(end, next - end).find('=') != std::string_view::npos) break;
        end = next;
    }
    return end;
}

// libpq decodes the names of parameters, too, so a secret parameter is recognized by its decoded name.
void mask_parameters(std::string& text) {
    for (auto equals = text.find('='); equals != std::string::npos;
         equals = text.find('=', equals + 1)) {
        const std::string_view before{text.data(), equals};
        const auto name = before.substr(before.find_last_of("?&=/@") + 1);
        if (!is_secret(percent_unescaped(name))) continue;
        text.replace(equals + 1, end_of_value(text, equals) - equals - 1, k_mask);
    }
}

std::string mask_of_parameters(std::string_view text) {
    std::string shown{text};
    mask_parameters(shown);
    return shown;
}

// Ignores parameters such as sasl_password_file and libpq's passfile: their value is the name of a file.
bool has_secret_parameter(std::string_view text) {
    for (auto equals = text.find('='); equals != std::string_view::npos;
         equals = text.find('=', equals + 1)) {
        const auto before = text.substr(0, equals);
        const auto name = percent_unescaped(before.substr(before.find_last_of("?&=/@") + 1));
        if (is_secret(name) && !boost::algorithm::iends_with(name, "file")) return true;
    }
    return false;
}

}  // namespace

std::string masked(std::string_view connect_string) {
    std::string shown{connect_string};
    if (const auto [begin, end, certain] = password_of_user(connect_string); begin != end)
        shown.replace(begin, end - begin, k_mask);
    else if (const auto lone = begin_of_lone_password(connect_string); lone < shown.size())
        shown.replace(lone, std::string::npos, k_mask);
    mask_parameters(shown);
    return shown;
}

std::string masked_refusal(std::string_view connect_string) {
    auto shown = masked(connect_string);
    const auto count = [](std::string_view text) {
        return std::count(text.begin(), text.end(), '@');
    };
    if (count(connect_string) == 0) return shown;
    const auto begin = is_path_of_one_process(connect_string) ? connect_string.find(':') + 1
                                                              : begin_of_user(connect_string);
    // If the last '@' belongs to a parameter's value, masking may have removed it from the shown text.
    const bool is_shown = count(mask_of_parameters(connect_string)) == count(connect_string);
    const auto end = is_shown ? std::min(shown.rfind('@'), shown.size()) : shown.size();
    if (begin < end) shown.replace(begin, end - begin, k_mask);
    return shown;
}

error refused_connect_string(std::string_view connect_string, std::string_view rule) {
    return {errc::bad_connect_string,
            printable(masked_refusal(connect_string)) + ": " + std::string{rule}};
}

bool has_password(std::string_view connect_string) {
    const auto [begin, end, is_certain] = password_of_user(connect_string);
    if (begin != end && is_certain) return true;
    if (begin == end && begin_of_lone_password(connect_string) < connect_string.size()) return true;
    return has_secret_parameter(connect_string);
}

std::string without_password(std::string_view connect_string) {
    std::string shown{connect_string};
    const auto [begin, end, is_certain] = password_of_user(connect_string);
    if (begin != end && is_certain) shown.erase(begin - 1, end - begin + 1);
    return shown;
}

std::string quoted_part(std::string_view connect_string, std::string_view part) {
    if (masked_refusal(connect_string).find(part) == std::string::npos) return std::string{k_mask};
    auto shown = printable(part);
    shown.erase(shown.rfind('"'), 1).erase(0, 1);
    return shown;
}

std::string chroot_fault(std::string_view connect_string, std::string_view chroot) {
    const auto valid = validate_path(chroot);
    if (valid) return {};
    if (masked_refusal(connect_string).find(chroot) == std::string::npos)
        return "has a chroot that breaks a rule of paths";
    return "has a chroot that is a " + valid.error().message();
}

}  // namespace turnstile::base
