// SPDX-License-Identifier: Apache-2.0
// node_data: the data of a recipe's znode, as they were read (stamped_data), and as fields (text_fields).
//
// Thread safety: none, values.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::detail {

// Data of a znode as they were read, with the version and the time stamp of the last write to the znode. The servers
// assign both. The version is -1 if there was no znode.
struct stamped_data {
    std::string text;
    std::int32_t version = -1;
    std::int64_t changed = 0;  // mtime: ms since 1970, by the clock of the servers' leader
    [[nodiscard]] bool exists() const noexcept { return version >= 0; }
};

// True for a server's time stamp (milliseconds since 1970) before the year 10000. So a sum with a duration cannot
// overflow.
[[nodiscard]] constexpr bool is_stamp(std::int64_t milliseconds) noexcept {
    constexpr std::int64_t k_end = 253'402'300'800'000;
    return milliseconds >= 0 && milliseconds < k_end;
}

// The text is one line of `key=value` pairs with percent-escaped values. Recipes store their state in znodes in this
// form: people can read it, and later versions may add fields.
class text_fields {
public:
    // Parses a line. Skips text that is no pair. Of several pairs with the same key, uses the last pair.
    [[nodiscard]] static text_fields parse(std::string_view text);

    void add(std::string_view key, std::string_view value);
    template <std::integral N>
    void add(std::string_view key, N value) {
        add(key, std::to_string(value));
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const;
    // Returns the key's value as a number; nothing if the key is missing or its value is no number.
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const;
    // Returns the key's value as a number if is_stamp() is true for this number; otherwise nothing.
    [[nodiscard]] std::optional<std::int64_t> stamp(std::string_view key) const;

private:
    std::string text_;
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace turnstile::detail
