// SPDX-License-Identifier: Apache-2.0
// wire: reads and writes the big-endian fields of ZooKeeper's protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::testing::detail {

using bytes = std::vector<std::byte>;

// Reads one field after another. Behind the end, numbers are 0 and strings are empty.
class wire_reader {
public:
    explicit wire_reader(std::span<const std::byte> from) : from_{from} {}

    [[nodiscard]] bool has(std::size_t count) const { return from_.size() >= count; }

    std::int32_t int32() { return static_cast<std::int32_t>(number(4)); }
    std::int64_t int64() { return static_cast<std::int64_t>(number(8)); }
    wire_reader& skip(std::size_t count) {
        from_ = has(count) ? from_.subspan(count) : std::span<const std::byte>{};
        return *this;
    }
    // Reads a length and a string of that many bytes. A length of -1 means an empty string.
    std::string string() {
        const auto length = int32();
        if (length <= 0 || !has(static_cast<std::size_t>(length))) return {};
        const auto text = from_.first(static_cast<std::size_t>(length));
        skip(text.size());
        return {reinterpret_cast<const char*>(text.data()), text.size()};
    }

private:
    std::uint64_t number(std::size_t size) {
        std::uint64_t value = 0;
        if (has(size)) {
            for (const auto b : from_.first(size))
                value = value << 8 | std::to_integer<unsigned>(b);
        }
        skip(size);
        return value;
    }

    std::span<const std::byte> from_;
};

class wire_writer {
public:
    wire_writer& int32(std::int32_t value) { return number(static_cast<std::uint32_t>(value), 4); }
    wire_writer& int64(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 8); }
    wire_writer& raw(std::string_view text) {
        text_ += text;
        return *this;
    }
    // Writes a length and the bytes of a string, a buffer, or a whole message.
    wire_writer& string(std::string_view text) {
        return int32(static_cast<std::int32_t>(text.size())).raw(text);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    wire_writer& number(std::uint64_t value, int size) {
        for (int i = size - 1; i >= 0; --i) text_ += static_cast<char>(value >> (8 * i) & 0xff);
        return *this;
    }

    std::string text_;
};

}  // namespace turnstile::testing::detail
