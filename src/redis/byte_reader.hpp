// SPDX-License-Identifier: Apache-2.0
// byte_reader: reads values one after another from bytes that a script has packed, in little-endian order.
//
// Thread safety: none.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::redis {

// If too few bytes are left, `number` returns 0, and `text` returns the bytes that are left.
class byte_reader {
public:
    explicit byte_reader(std::string_view text) noexcept : text_{text} {}

    [[nodiscard]] std::size_t left() const noexcept { return text_.size(); }
    std::uint64_t number(std::size_t bytes) noexcept {
        std::uint64_t value = 0;
        if (text_.size() < bytes) return value;
        for (std::size_t i = bytes; i-- > 0;)
            value = value << 8U | static_cast<unsigned char>(text_[i]);
        text_.remove_prefix(bytes);
        return value;
    }
    // Returns nothing unless the double is a whole number below 2^53. Scripts write no other doubles.
    std::optional<std::int64_t> whole_double() noexcept {
        constexpr double k_end = 9007199254740992.0;
        const auto value = std::bit_cast<double>(number(sizeof(double)));
        if (!(std::abs(value) < k_end) || value != std::trunc(value)) return std::nullopt;
        return static_cast<std::int64_t>(value);
    }
    std::int32_t int32() noexcept { return static_cast<std::int32_t>(number(4)); }
    // Reads a length and then a text of that length. Returns nothing if too few bytes are left.
    std::optional<std::string_view> sized_text() noexcept {
        constexpr std::size_t k_length = 4;
        if (text_.size() < k_length) return std::nullopt;
        const auto length = static_cast<std::size_t>(number(k_length));
        if (text_.size() < length) return std::nullopt;
        return text(length);
    }
    std::string_view text(std::size_t bytes) noexcept {
        const auto found = text_.substr(0, bytes);
        text_.remove_prefix(found.size());
        return found;
    }

private:
    std::string_view text_;
};

}  // namespace turnstile::redis
