// SPDX-License-Identifier: Apache-2.0
#include "recipe/node/node_data.hpp"

#include <charconv>
#include <utility>

#include "base/percent.hpp"

namespace turnstile::detail {

namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == '%' || byte == '=' || byte >= 0x7f) {
            base::append_percent_encoded(result, byte);
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace

void text_fields::add(std::string_view key, std::string_view value) {
    if (!text_.empty()) text_ += ' ';
    text_ += key;
    text_ += '=';
    text_ += escaped(value);
    values_.insert_or_assign(std::string{key}, std::string{value});
}

text_fields text_fields::parse(std::string_view text) {
    text_fields fields;
    fields.text_ = text;
    base::for_each_pair(text, [&fields](std::string_view key, std::string value) {
        fields.values_.insert_or_assign(std::string{key}, std::move(value));
    });
    return fields;
}

std::optional<std::string_view> text_fields::find(std::string_view key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::int64_t> text_fields::number(std::string_view key) const {
    const auto text = find(key);
    std::int64_t value = 0;
    if (!text || text->empty()) return std::nullopt;
    const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (failure != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> text_fields::stamp(std::string_view key) const {
    const auto value = number(key);
    return value && is_stamp(*value) ? value : std::nullopt;
}

}  // namespace turnstile::detail
