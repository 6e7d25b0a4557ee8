#include "core/contender_name.hpp"

#include <algorithm>
#include <charconv>

namespace turnstile::core {

namespace {

constexpr std::string_view k_protection = "_c_";
constexpr std::string_view k_marker = "lock-";
constexpr std::string_view k_after_guid = "-lock-";
constexpr std::size_t k_guid = 36;
constexpr std::size_t k_width = 10;  // of "%010d", the sign included
constexpr std::int32_t k_lowest_of_width = -999'999'999;

}  // namespace

std::optional<std::int32_t> contender_sequence(std::string_view child) noexcept {
    const auto at = child.rfind(k_marker);
    if (at == std::string_view::npos) return std::nullopt;
    const auto number = child.substr(at + k_marker.size());
    std::int32_t value = 0;
    const auto [end, failure] =
        std::from_chars(number.data(), number.data() + number.size(), value);
    if (failure != std::errc{} || end != number.data() + number.size()) return std::nullopt;
    // As servers write it, and in no other form.
    const auto width = value < k_lowest_of_width ? k_width + 1 : k_width;
    if (number.size() != width || (value == 0 && number.front() == '-')) return std::nullopt;
    return value;
}

std::string contender_prefix(std::string_view guid) {
    std::string name{k_protection};
    name += guid;
    name += k_after_guid;
    return name;
}

std::string_view contender_guid(std::string_view child) noexcept {
    if (!child.starts_with(k_protection) || !contender_sequence(child)) return {};
    const auto guid = child.substr(k_protection.size(), k_guid);
    return child.substr(k_protection.size() + guid.size()).starts_with(k_after_guid)
               ? guid
               : std::string_view{};
}

bool made_by(std::string_view child, std::string_view guid) noexcept {
    return child.starts_with(k_protection) && child.substr(k_protection.size()).starts_with(guid);
}

}  // namespace turnstile::core
