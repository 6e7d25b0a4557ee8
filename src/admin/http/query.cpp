// SPDX-License-Identifier: Apache-2.0
#include "admin/http/query.hpp"

#include <algorithm>
#include <charconv>

#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

refusal bad_request(const std::string& message) {
    return refusal{400, "bad_request", message};
}

std::optional<char> byte_of(std::string_view digits) {
    if (digits.size() != 2) return std::nullopt;
    unsigned value = 0;
    const auto* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value, 16);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return static_cast<char>(value);
}

}  // namespace

std::optional<std::string> unescape(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        const auto byte = byte_of(text.substr(i + 1, 2));
        if (!byte) return std::nullopt;
        plain += *byte;
        i += 2;
    }
    return plain;
}

std::string_view path_of(std::string_view target) noexcept {
    return target.substr(0, target.find('?'));
}

query::query(std::string_view target, const std::vector<std::string>& known) {
    const auto start = target.find('?');
    std::string_view rest = start == std::string_view::npos ? "" : target.substr(start + 1);
    while (!rest.empty()) {
        const auto part = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        const auto sign = part.find('=');
        const auto name = unescape(part.substr(0, sign));
        const auto value = unescape(sign == std::string_view::npos ? "" : part.substr(sign + 1));
        if (!name || !value)
            throw bad_request("a % in the query is not followed by two hexadecimal digits");
        if (std::find(known.begin(), known.end(), *name) == known.end())
            throw bad_request("the query has an unknown parameter: " + *name);
        if (!values_.emplace(*name, *value).second)
            throw bad_request("the query has " + *name + " twice");
    }
}

std::optional<std::string> query::text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second;
}

std::string query::required(const std::string& name) const {
    auto value = text(name);
    if (!value || value->empty()) throw bad_request("the query lacks " + name);
    return std::move(*value);
}

std::uint64_t query::number(const std::string& name, std::uint64_t otherwise,
                            number_range range) const {
    const auto said = text(name);
    if (!said) return otherwise;
    std::uint64_t value = 0;
    const auto* const end = said->data() + said->size();
    const auto read = std::from_chars(said->data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end || value < range.least || value > range.most)
        throw bad_request(name + " is " + *said + ": expected a number from " +
                          std::to_string(range.least) + " to " + std::to_string(range.most));
    return value;
}

}  // namespace turnstile::admin
