// SPDX-License-Identifier: Apache-2.0
// byte_reader: reads from the front of a text that a script has packed, little-endian.
//
// Thread safety: none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace turnstile::redis {

// 0, or less text than asked for, where too little is left.
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
    std::int64_t whole_double() noexcept {
        return static_cast<std::int64_t>(std::bit_cast<double>(number(sizeof(double))));
    }
    std::int32_t int32() noexcept { return static_cast<std::int32_t>(number(4)); }
    std::size_t length() noexcept { return static_cast<std::size_t>(number(4)); }
    std::string_view text(std::size_t bytes) noexcept {
        const auto found = text_.substr(0, bytes);
        text_.remove_prefix(found.size());
        return found;
    }

private:
    std::string_view text_;
};

}  // namespace turnstile::redis
