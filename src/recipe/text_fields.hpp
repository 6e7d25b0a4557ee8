// text_fields: one line of `key=value` pairs, as recipes keep their state in a znode: people can read it,
// and a later version may add fields. Values are percent-escaped.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::detail {

class text_fields {
public:
    // What is no pair is left out; of two with one key the last counts.
    [[nodiscard]] static text_fields parse(std::string_view text);

    void add(std::string_view key, std::string_view value);
    template <std::integral N>
    void add(std::string_view key, N value) {
        add(key, std::to_string(value));
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const;
    // Nothing if it is not there or no number.
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const;

private:
    std::string text_;
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace turnstile::detail
