// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/kazoo_name.hpp"

#include <charconv>

namespace turnstile::detail {
namespace {

constexpr std::string_view k_lock = "__lock__";
constexpr std::string_view k_read = "__rlock__";
constexpr std::size_t k_digits = 10;

}  // namespace

std::optional<kazoo_name> parse_kazoo(std::string_view child) noexcept {
    const bool reads = child.find(k_read) != std::string_view::npos;
    const auto marker = reads ? k_read : k_lock;
    const auto place = child.find(marker);
    if (place == std::string_view::npos) return std::nullopt;
    auto number = child.substr(place + marker.size());
    const std::size_t sign = number.starts_with('-') ? 1 : 0;
    if (number.size() != k_digits + sign && number.size() != k_digits) return std::nullopt;
    std::int32_t sequence = 0;
    const char* const end = number.data() + number.size();
    const auto [rest, failure] = std::from_chars(number.data(), end, sequence);
    if (failure != std::errc{} || rest != end) return std::nullopt;
    return kazoo_name{reads, sequence};
}

}  // namespace turnstile::detail
