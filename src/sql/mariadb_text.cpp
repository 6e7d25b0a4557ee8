// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_text.hpp"

#include "base/check.hpp"
#include "support/hexadecimal.hpp"

namespace turnstile::sql {
namespace {

struct in_statement {
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(const std::string& text) const { return mariadb_literal(text); }
    std::string operator()(const bytes& data) const { return mariadb_literal(data.data); }
};

}  // namespace

std::string mariadb_literal(std::string_view text) {
    std::string literal = "x'";
    literal.reserve(2 * text.size() + 3);
    for (const char c : text) support::append_hexadecimal(literal, static_cast<unsigned char>(c));
    return literal + '\'';
}

std::string mariadb_statement(std::string_view statement, std::span<const value> arguments) {
    std::string out;
    for (std::size_t at = 0; at < statement.size(); ++at) {
        if (statement[at] != '?') {
            out += statement[at];
            continue;
        }
        const bool as_it_is = statement[++at] == '*';
        if (as_it_is) ++at;
        const auto place = static_cast<std::size_t>(statement[at] - '1');
        TURNSTILE_CHECK(place < arguments.size());
        const value& given = arguments[place];
        out += as_it_is ? std::get<std::string>(given) : std::visit(in_statement{}, given);
    }
    return out;
}

}  // namespace turnstile::sql
