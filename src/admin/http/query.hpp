// SPDX-License-Identifier: Apache-2.0
// query: strictly parses the parameters after the "?" of a request.
//
//     const query asked{target, {"offset", "limit"}};
//     const auto offset = asked.number("offset", 0, {.least = 0, .most = 1'000});
//
// Unknown names, repeated names and invalid escapes are refused, so that a mistyped request gets an error and not a
// wrong answer.
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
    // Parses the parameters in `target`, which comes from the request line. `known`: the allowed names. Throws refusal
    // (400).
    query(std::string_view target, const std::vector<std::string>& known);

    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    // Returns the value of the parameter `name`. Throws refusal (400) if the parameter is missing or empty.
    [[nodiscard]] std::string required(const std::string& name) const;
    // Returns the number in the parameter `name`; `otherwise` if the parameter is missing. Throws refusal (400) for a
    // text that is not a number, or is outside the range.
    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise,
                                       number_range range) const;

private:
    std::map<std::string, std::string> values_;
};

// Returns the parameter `limit`, the number of entries on a page: from 1 to 500, by default 50. Throws refusal (400).
[[nodiscard]] inline std::uint64_t page_size(const query& asked) {
    return asked.number("limit", 50, {.least = 1, .most = 500});
}

// Decodes a text such as "%2Flocks+a" (to "/locks a"). Returns nothing for an invalid escape.
[[nodiscard]] std::optional<std::string> unescape(std::string_view text);

// Returns the text before the "?".
[[nodiscard]] std::string_view path_of(std::string_view target) noexcept;

}  // namespace turnstile::admin
