// SPDX-License-Identifier: Apache-2.0
// path_template: makes lock paths from values that users may have chosen.
//
// Use it to make one lock for each order, user or file. Each argument becomes a part of exactly one name in the path,
// whatever bytes it has. An argument cannot lead to a path outside of its folder or to a path that the servers refuse,
// and two arguments do not give the same path.
//
//     const turnstile::path_template orders{"/locks/orders/{}"};
//     turnstile::mutex m{servers, orders.format(order_id)};
//
// In the template `{}` represents an argument, at most one in each name ("/by-day/{}/order-{}"). `{{` and `}}` are
// braces. All other text is literal.
//
// Escaping. An argument appears literally in the path, except for these characters: control characters, the space, "/",
// "%", a leading ".", bytes that are not UTF-8, and the characters that ZooKeeper refuses. Each of their bytes becomes
// "%" and two lower-case hexadecimal digits, as in a URL. An empty argument becomes "%empty".
//
// Length. If the escaped argument is longer than `k_longest_argument` bytes, the template keeps at most its first
// `k_longest_beginning` bytes. It then appends "%~" and a digest of the whole argument (UUID version 5, RFC 4122: 122
// bits of SHA-1).
//
// Reserved names. A name in the path must not look like a znode of a recipe; for example, it must not end with "lock-"
// and ten digits. The path must not begin with ZooKeeper's "/zookeeper". If an argument would break one of these rules,
// the template also escapes the argument's last byte.
//
// Different arguments therefore give different paths, unless two arguments that were cut have the same digest. A number
// becomes decimal digits, so the number 7 and the text "7" give the same path. These rules are a contract between
// versions: docs/start/path-templates.md.
//
// Thread safety: a value; any thread may call const members.
#pragma once

#include "turnstile/language.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "turnstile/export.hpp"

namespace turnstile {

// An argument: text, or an integer type other than characters and bool.
template <class A>
concept path_argument = (std::convertible_to<const A&, std::string_view> &&
                         !std::same_as<A, std::nullptr_t>) ||
                        (std::integral<A> && !std::same_as<A, bool> && !std::same_as<A, char> &&
                         !std::same_as<A, wchar_t> && !std::same_as<A, char8_t> &&
                         !std::same_as<A, char16_t> && !std::same_as<A, char32_t>);

// A template of a lock's path.
class TURNSTILE_EXPORT path_template {
public:
    // Largest size of an argument in the path, in bytes.
    static constexpr std::size_t k_longest_argument = 128;
    static constexpr std::size_t k_longest_beginning = 80;  // bytes before a digest

    // Parses the template `text`. Throws std::system_error(bad_path), with the template and the rule in the message.
    // Rules: the text starts with "/", its braces are paired, a name has at most one `{}`, and with an argument in
    // place of each `{}` the text is a path that the servers accept.
    explicit path_template(std::string_view text);

    // Returns the path for these arguments. Throws std::system_error(bad_path) if their number differs from
    // arguments(), or if the path is longer than a lock's path may be.
    template <path_argument... A>
    [[nodiscard]] std::string format(const A&... arguments) const {
        const std::array<std::string, sizeof...(A)> texts{text_of(arguments)...};
        const std::array<std::string_view, sizeof...(A)> views = views_of(texts);
        return format_list(views);
    }
    // Like format(), if the number of arguments is known only at run time.
    [[nodiscard]] std::string format_list(std::span<const std::string_view> arguments) const;

    // Returns the template that was given to the constructor.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    // Returns the number of arguments.
    [[nodiscard]] std::size_t arguments() const noexcept { return pieces_.size() - 1; }

    // Returns true if `path` has the form of this template: the template's text, with at least one byte in place of
    // each `{}`. Every path that format() returns has this form.
    [[nodiscard]] bool matches(std::string_view path) const noexcept;

    // Returns `argument` as it appears in a path, before the rule for reserved names is applied.
    [[nodiscard]] static std::string escape(std::string_view argument);
    // Returns the argument whose escaped form is `escaped`, for tools that list locks. Returns an empty optional if the
    // argument was cut, or if `escaped` is not an escaped argument.
    [[nodiscard]] static std::optional<std::string> unescape(std::string_view escaped);

private:
    template <class A>
    static std::string text_of(const A& argument) {
        if constexpr (std::convertible_to<const A&, std::string_view>) {
            return std::string{static_cast<std::string_view>(argument)};
        } else {
            return std::to_string(argument);
        }
    }
    template <std::size_t N>
    static std::array<std::string_view, N> views_of(const std::array<std::string, N>& texts) {
        std::array<std::string_view, N> views;
        for (std::size_t i = 0; i != N; ++i) views[i] = texts[i];
        return views;
    }
    [[nodiscard]] std::string argument_at(std::size_t index, std::string_view argument) const;

    std::string text_;
    std::vector<std::string> pieces_;  // the texts before, between and after the arguments
};

}  // namespace turnstile
