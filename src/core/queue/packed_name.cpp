// SPDX-License-Identifier: Apache-2.0
#include "core/queue/packed_name.hpp"

#include <cassert>
#include <charconv>
#include <cstring>
#include <utility>

namespace turnstile::core {

namespace {

// The five groups of a GUID's hexadecimal digits, in its text and in its two words. A grant takes some ten texts: with
// Boost.Uuid's conversions, or std::to_chars and its leading zeros, they were a tenth of all instructions of a contended
// cycle.
struct group {
    std::size_t at;
    std::size_t digits;
    std::size_t word;
    std::size_t shift;
};
constexpr std::array<group, 5> k_groups{
    {{0, 8, 0, 32}, {9, 4, 0, 16}, {14, 4, 0, 0}, {19, 4, 1, 48}, {24, 12, 1, 0}}};
constexpr std::size_t k_guid = k_groups.back().at + k_groups.back().digits;

// What is no hexadecimal digit counts as none; the caller compares the text with what this gives.
packed_name::guid parse_guid(std::string_view text) noexcept {
    packed_name::guid result{};
    for (const auto& group : k_groups) {
        std::uint64_t value = 0;
        const auto* const begin = text.data() + group.at;
        std::from_chars(begin, begin + group.digits, value, 16);
        result[group.word] |= value << group.shift;
    }
    return result;
}

}  // namespace

packed_name::packed_name(std::string_view name) {
    if (name.empty()) return;
    const auto guid_text = contender_guid(name);
    if (const auto parsed = guid_text.empty() ? std::nullopt : parse_contender(name)) {
        guid_ = parse_guid(guid_text);
        number_ = parsed->sequence;
        kind_ = parsed->wants.kind;
        form_ = form::packed;
        // What it wants besides, and every way to write it that is not ours, would be lost.
        if (parsed->wants == claim{kind_} && unpacked() == name) return;
    }
    keep(name);
}

packed_name::packed_name(const packed_name& other)
    : guid_{other.guid_}, number_{other.number_}, kind_{other.kind_}, form_{other.form_} {
    if (form_ == form::text) keep(other.text());
}

packed_name::~packed_name() {
    if (form_ == form::text) delete &text();
}

void packed_name::swap(packed_name& other) noexcept {
    std::swap(guid_, other.guid_);
    std::swap(number_, other.number_);
    std::swap(kind_, other.kind_);
    std::swap(form_, other.form_);
}

void packed_name::keep(std::string_view name) {
    const auto* kept = new std::string{name};
    static_assert(sizeof kept <= sizeof guid_);
    std::memcpy(&guid_, &kept, sizeof kept);
    form_ = form::text;
}

const std::string& packed_name::text() const noexcept {
    assert(form_ == form::text);
    const std::string* kept = nullptr;
    std::memcpy(&kept, &guid_, sizeof kept);
    return *kept;
}

std::string packed_name::unpacked() const {
    assert(form_ == form::packed);
    std::array<char, k_guid> text{};
    text.fill('-');
    for (const auto& [at, digits, word, shift] : k_groups) {
        auto rest = guid_[word] >> shift;
        for (auto place = at + digits; place != at; rest >>= 4U)
            text[--place] = "0123456789abcdef"[rest & 15U];
    }
    return contender_child({text.data(), k_guid}, {kind_}, number_);
}

std::string packed_name::str() const {
    switch (form_) {
        case form::none: return {};
        case form::packed: return unpacked();
        case form::text: break;
    }
    return text();
}

std::optional<std::int32_t> packed_name::sequence() const noexcept {
    switch (form_) {
        case form::none: return std::nullopt;
        case form::packed: return number_;
        case form::text: break;
    }
    return contender_sequence(text());
}

bool operator==(const packed_name& a, const packed_name& b) noexcept {
    if (a.form_ != b.form_) return false;
    if (a.form_ == packed_name::form::text) return a.text() == b.text();
    return a.guid_ == b.guid_ && a.number_ == b.number_ && a.kind_ == b.kind_;
}

}  // namespace turnstile::core
