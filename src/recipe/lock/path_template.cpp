// SPDX-License-Identifier: Apache-2.0
#include "turnstile/path_template.hpp"

#include <cstdint>
#include <initializer_list>
#include <utility>

#include <fmt/core.h>

#include "base/path.hpp"
#include "base/percent.hpp"
#include "base/sha1.hpp"
#include "core/queue/contender_name.hpp"
#include "support/utf8.hpp"
#include "turnstile/error.hpp"

namespace turnstile {

namespace {

constexpr std::string_view k_empty = "%empty";
constexpr std::string_view k_cut = "%~";
constexpr std::string_view k_servers_own = "zookeeper";

[[noreturn]] void refuse(std::string_view text, const std::string& rule) {
    throw_error({errc::bad_path, fmt::format("path template {}: {}", base::printable(text), rule)});
}

// ---- the text of an argument -------------------------------------------------------------------

// Returns the number of bytes at the front of `rest` that form a character which needs no escape; 0 if the first byte
// must be escaped.
std::size_t plain_length(std::string_view rest, bool in_front) {
    const auto [character, length] = support::decode_utf8(rest);
    if (length == 0 || !base::allowed_in_path(character)) return 0;
    if (character <= U' ' || character == U'/' || character == U'%') return 0;
    if (character == U'.' && in_front) return 0;
    return length;
}

enum class last_byte { as_it_is, escaped };

// Appends the next unit, which is a character or an escaped byte. Returns the number of the argument's bytes in that
// unit.
std::size_t append_unit(std::string& path, std::string_view argument, std::size_t at,
                        last_byte last) {
    const bool forced = last == last_byte::escaped && at + 1 == argument.size();
    const auto plain = forced ? 0 : plain_length(argument.substr(at), at == 0);
    if (plain == 0) {
        base::append_percent_encoded(path, static_cast<unsigned char>(argument[at]));
        return 1;
    }
    path += argument.substr(at, plain);
    return plain;
}

// Returns the argument's UUID (version 5) in a name space of this library.
std::string digest(std::string_view argument) {
    return base::name_guid("7bd1f2a4-5d0e-4a52-9c3b-20f4c6a1e8d3", argument);
}

std::string escape_argument(std::string_view argument, last_byte last) {
    if (argument.empty()) return std::string{k_empty};
    std::string path;
    std::size_t beginning = 0;  // an index in `path`, always between two units
    for (std::size_t at = 0; at < argument.size();) {
        at += append_unit(path, argument, at, last);
        if (path.size() <= path_template::k_longest_beginning) beginning = path.size();
        if (path.size() > path_template::k_longest_argument)
            return path.substr(0, beginning).append(k_cut).append(digest(argument));
    }
    return path;
}

// ---- names in the path ----------------------------------------------------------------------

// True for a name that this library, Curator or kazoo would take for a contender or a lease. This name consists of a
// word for the kind, and of a number as servers append it (ten digits, or a minus sign and nine or ten digits).
bool looks_like_a_contender(std::string_view name) {
    if (core::contender_sequence(name)) return true;
    const auto last = name.find_last_not_of("0123456789");
    if (last == std::string_view::npos) return false;
    const auto digits = name.size() - last - 1;
    if (digits < 9 || digits > 10) return false;
    name = name.substr(0, last + 1);
    const auto without_sign = name.substr(0, last);
    for (const std::string_view marker : {"lock-", "lease-", "latch-", "__"})
        if (name.ends_with(marker) || (name.back() == '-' && without_sign.ends_with(marker)))
            return true;
    return false;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> pieces(1);
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto two = text.substr(at, 2);
        if (two == "{}") {
            pieces.emplace_back();
        } else if (two == "{{" || two == "}}") {
            pieces.back() += two.front();
        } else if (two.front() == '{' || two.front() == '}') {
            refuse(text, fmt::format("\"{}\" at byte {} has no partner; write \"{{}}\" for an "
                                     "argument, and the brace twice for the character itself",
                                     two.front(), at));
        } else {
            pieces.back() += two.front();
            continue;
        }
        ++at;
    }
    return pieces;
}

// A template is a list of pieces of text, with an argument between two pieces. The name in the path that contains an
// argument begins with before(the piece before the argument), and ends with behind(the piece after the argument).
std::string_view before(const std::string& piece) {
    return std::string_view{piece}.substr(piece.rfind('/') + 1);
}
std::string_view behind(const std::string& piece) {
    return std::string_view{piece}.substr(0, piece.find('/'));
}

}  // namespace

path_template::path_template(std::string_view text) : text_{text}, pieces_{split(text)} {
    if (text == "/") refuse(text, "the root cannot be a lock's path");
    std::string sample = pieces_.front();
    for (std::size_t i = 1; i != pieces_.size(); ++i) {
        if (i + 1 != pieces_.size() && pieces_[i].find('/') == std::string::npos) {
            refuse(text,
                   "two arguments in one name cannot be distinguished; put a \"/\" between them");
        }
        sample += 'x' + pieces_[i];
    }
    if (const auto good = base::validate_path(sample); !good) refuse(text, good.error().message());
}

std::string path_template::argument_at(std::size_t index, std::string_view argument) const {
    const auto in_front = before(pieces_[index]);
    const auto at_the_end = behind(pieces_[index + 1]);
    const bool at_the_root = index == 0 && pieces_.front().rfind('/') == 0;
    auto escaped = escape_argument(argument, last_byte::as_it_is);
    const auto name = fmt::format("{}{}{}", in_front, escaped, at_the_end);
    if (looks_like_a_contender(name) || (at_the_root && name == k_servers_own))
        return escape_argument(argument, last_byte::escaped);
    return escaped;
}

std::string path_template::format_list(std::span<const std::string_view> given) const {
    if (given.size() != arguments()) {
        refuse(text_, fmt::format("takes {} argument{}, was given {}", arguments(),
                                  arguments() == 1 ? "" : "s", given.size()));
    }
    std::string path = pieces_.front();
    for (std::size_t i = 0; i != given.size(); ++i)
        path.append(argument_at(i, given[i])).append(pieces_[i + 1]);
    if (const auto good = base::validate_path(path); !good) refuse(text_, good.error().message());
    return path;
}

// True if this template can make the path from some arguments. An argument has no slash, and each name in the path has
// at most one argument. So an argument ends at the end of its name, or before the text that follows it in the name.
bool path_template::matches(std::string_view path) const noexcept {
    if (!path.starts_with(pieces_.front())) return false;
    path.remove_prefix(pieces_.front().size());
    for (std::size_t i = 1; i != pieces_.size(); ++i) {
        const auto tail = behind(pieces_[i]);
        const auto name = path.substr(0, path.find('/'));
        if (name.size() <= tail.size() || !name.ends_with(tail)) return false;
        path.remove_prefix(name.size() - tail.size());
        if (!path.starts_with(pieces_[i])) return false;
        path.remove_prefix(pieces_[i].size());
    }
    return path.empty();
}

std::string path_template::escape(std::string_view argument) {
    return escape_argument(argument, last_byte::as_it_is);
}

std::optional<std::string> path_template::unescape(std::string_view escaped) {
    if (escaped == k_empty) return std::string{};
    if (escaped.empty()) return std::nullopt;
    return base::percent_decoded(escaped, support::digit_case::lower);
}

}  // namespace turnstile
