#include "core/permits.hpp"

#include <algorithm>
#include <charconv>

namespace turnstile::core {

namespace {

constexpr std::string_view k_was = " was ";

// A positive number, written as we write it.
std::optional<std::int32_t> positive(std::string_view text) noexcept {
    std::int32_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || value < 1)
        return std::nullopt;
    return value;
}

}  // namespace

std::optional<permit_limit> parse_limit(std::string_view text) noexcept {
    const auto at = text.find(k_was);
    const auto now = positive(text.substr(0, at));
    const auto earlier =
        at == std::string_view::npos ? now : positive(text.substr(at + k_was.size()));
    if (!now || !earlier) return std::nullopt;
    return permit_limit{*now, std::max(*now, *earlier)};
}

std::string limit_text(const permit_limit& limit) {
    auto text = std::to_string(limit.now);
    if (limit.earlier > limit.now) text += std::string{k_was} + std::to_string(limit.earlier);
    return text;
}

}  // namespace turnstile::core
