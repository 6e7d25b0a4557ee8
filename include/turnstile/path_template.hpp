// SPDX-License-Identifier: Apache-2.0
// path_template: lock paths made from values that users may have chosen.
//
// Purpose: one lock for each order, user or file, when its identifier is to be a part of the lock's
// path. Each argument becomes a part of exactly one name in the path, whatever bytes it has: it
// cannot climb out of its folder, be refused by the servers, or name the lock of another argument.
//
//     const turnstile::path_template orders{"/locks/orders/{}"};
//     turnstile::mutex m{servers, orders.format(order_id)};
//
// In the template `{}` stands for an argument, at most one in each name ("/by-day/{}/order-{}"); `{{`
// and `}}` are braces. Everything else is taken as it is written.
//
// An argument is written as it is, but for control characters, the space, "/", "%", a "." in front,
// what is no UTF-8, and the characters that ZooKeeper refuses: each of their bytes becomes "%" and two
// lower-case hex digits, as in a URL. An empty one becomes "%empty". One that takes more than
// `k_longest_argument` bytes so is cut after at most `k_longest_beginning` and ends in "%~" and a
// digest of the whole (UUID version 5, RFC 4122: 122 bits of SHA-1). Where a name would look like
// one of a recipe's own znodes (they end in "lock-" and ten digits and the like), or be ZooKeeper's
// own "/zookeeper", the argument's last byte is escaped, too. So different arguments give different paths: for certain
// up to that length, beyond it unless SHA-1 collides. Numbers are written in decimal and are the same
// as their text. These rules are a contract between versions: docs/start/path-templates.md.
//
// Thread safety: a value; const members from any thread.
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

// Text, or an integer that is no character and no bool.
template <class A>
concept path_argument = (std::convertible_to<const A&, std::string_view> &&
                         !std::same_as<A, std::nullptr_t>) ||
                        (std::integral<A> && !std::same_as<A, bool> && !std::same_as<A, char> &&
                         !std::same_as<A, wchar_t> && !std::same_as<A, char8_t> &&
                         !std::same_as<A, char16_t> && !std::same_as<A, char32_t>);

class TURNSTILE_EXPORT path_template {
public:
    static constexpr std::size_t k_longest_argument = 128;  // bytes in the path
    static constexpr std::size_t k_longest_beginning = 80;  // of these when there is a digest

    // Throws std::system_error(bad_path), the message naming the template and the rule: it must start
    // with "/", its braces must pair up, a name has at most one `{}`, and with arguments in place it
    // must be a path that the servers take.
    explicit path_template(std::string_view text);

    // The path for these arguments. Throws std::system_error(bad_path) if there are more or fewer than
    // `arguments()`, or if the path is longer than a lock's may be.
    template <path_argument... A>
    [[nodiscard]] std::string format(const A&... arguments) const {
        const std::array<std::string, sizeof...(A)> texts{text_of(arguments)...};
        const std::array<std::string_view, sizeof...(A)> views = views_of(texts);
        return format_list(views);
    }
    // The same for arguments whose number is known at run time only.
    [[nodiscard]] std::string format_list(std::span<const std::string_view> arguments) const;

    // As given.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    // How many arguments it takes.
    [[nodiscard]] std::size_t arguments() const noexcept { return pieces_.size() - 1; }

    // What an argument looks like in a path (but for what is said above of the last byte).
    [[nodiscard]] static std::string escape(std::string_view argument);
    // The argument that `escaped` was made of, for tools that list locks; nothing if it was cut, or is
    // not of this form.
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
    std::vector<std::string> pieces_;  // the text between the arguments, one more than these
};

}  // namespace turnstile
