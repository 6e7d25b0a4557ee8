// SPDX-License-Identifier: Apache-2.0
// query: the parameters after the "?" of a request, parsed strictly.
//
//     const query asked{target, {"offset", "limit"}};
//     const auto offset = asked.number("offset", 0, {.least = 0, .most = 1'000});
//
// A query refuses unknown names, names that occur twice, and invalid escapes: a typing error must not look like an
// answer.
//
// Thread safety: a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::admin {

struct number_range {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

class query {
public:
    // `target`: as in the request line. Throws refusal (400).
    query(std::string_view target, const std::vector<std::string>& known);

    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    // Throws refusal (400) if the parameter is missing or empty.
    [[nodiscard]] std::string required(const std::string& name) const;
    // Throws refusal (400) for a text that is not a number, or is outside the range.
    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise,
                                       number_range range) const;

private:
    std::map<std::string, std::string> values_;
};

// The number of entries on a page of a long list: `limit`, from 1 to 500, by default 50. Throws refusal (400).
[[nodiscard]] inline std::uint64_t page_size(const query& asked) {
    return asked.number("limit", 50, {.least = 1, .most = 500});
}

// Turns "%2Flocks+a" into "/locks a". Returns nothing for a broken escape.
[[nodiscard]] std::optional<std::string> unescape(std::string_view text);

// Returns the text before the "?".
[[nodiscard]] std::string_view path_of(std::string_view target) noexcept;

}  // namespace turnstile::admin
