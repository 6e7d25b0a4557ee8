// SPDX-License-Identifier: Apache-2.0
// query: the parameters behind the "?" of a request, read strictly.
//
//     const query asked{target, {"offset", "limit"}};
//     const auto offset = asked.number("offset", 0, {.least = 0, .most = 1'000});
//
// A name that is not known, one that comes twice, and an escape that is none are refused: a typing error must not look
// like an answer.
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
    // `target` as the request line has it. Throws refusal (400).
    query(std::string_view target, const std::vector<std::string>& known);

    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    // Throws refusal (400) if it is not there or empty.
    [[nodiscard]] std::string required(const std::string& name) const;
    // Throws refusal (400) for what is no number or outside of the range.
    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise,
                                       number_range range) const;

private:
    std::map<std::string, std::string> values_;
};

// How many entries a page of a long list has: `limit`, from 1 to 500, else 50. Throws refusal (400).
[[nodiscard]] inline std::uint64_t page_size(const query& asked) {
    return asked.number("limit", 50, {.least = 1, .most = 500});
}

// "%2Flocks+a" is "/locks a". Nothing for a broken escape.
[[nodiscard]] std::optional<std::string> unescape(std::string_view text);

// What stands before the "?".
[[nodiscard]] std::string_view path_of(std::string_view target) noexcept;

}  // namespace turnstile::admin
