// SPDX-License-Identifier: Apache-2.0
// records: the binary formats that the scripts use for a znode's record and for events, and the reader of packed bytes.
//
// A record begins with 64 bytes, little-endian: czxid, mzxid, pzxid, ctime, mtime and owner as doubles; then version,
// creates, the number of children and the flags as 32-bit integers. Doubles are exact below 2^53, which a count of
// microseconds since 1970 reaches in the year 2255. `creates` counts all children ever created, and is the next
// sequence number.
//
//     byte_reader   reads values from bytes that a script has packed
//
// Thread safety: pure functions, and values.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"

namespace turnstile::redis {

// Reads values one after another from bytes that a script has packed, in little-endian order. If too few bytes are
// left, `number` returns 0, and `text` returns the bytes that are left.
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

inline constexpr std::size_t k_record_head = 64;

// Parses the start of a record, without `data_length`. Returns nothing if the text is too short, or has a number that
// the scripts never write.
[[nodiscard]] std::optional<core::stat> parse_record(std::string_view head) noexcept;

// Parses the events in a reply. Does not set the events' member `connection`. Returns nothing if the text is invalid.
[[nodiscard]] std::optional<std::vector<core::watch_event>> parse_events(std::string_view text);

}  // namespace turnstile::redis
