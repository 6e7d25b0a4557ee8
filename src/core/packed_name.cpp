#include "core/packed_name.hpp"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace turnstile::core {

namespace {

constexpr std::size_t k_guid = 36;
constexpr std::string_view k_digits = "0123456789abcdef";

constexpr bool hyphen_before(std::size_t byte) {
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

// "1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0", or nothing; capitals are not what we write.
std::optional<boost::uuids::uuid> parse_guid(std::string_view text) noexcept {
    if (text.size() != k_guid) return std::nullopt;
    boost::uuids::uuid made{};
    std::size_t at = 0;
    for (std::size_t byte = 0; byte != made.size(); ++byte) {
        if (hyphen_before(byte) && text[at++] != '-') return std::nullopt;
        const auto high = k_digits.find(text[at++]);
        const auto low = k_digits.find(text[at++]);
        if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
        made.data[byte] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return made;
}

std::array<char, k_guid> guid_text(const boost::uuids::uuid& guid) noexcept {
    std::array<char, k_guid> made{};
    std::size_t at = 0;
    for (std::size_t byte = 0; byte != guid.size(); ++byte) {
        if (hyphen_before(byte)) made[at++] = '-';
        made[at++] = k_digits[guid.data[byte] / 16U];
        made[at++] = k_digits[guid.data[byte] % 16U];
    }
    return made;
}

}  // namespace

packed_name::packed_name(std::string_view name) {
    if (name.empty()) return;
    const auto guid = parse_guid(contender_guid(name));
    if (const auto parsed = guid ? parse_contender(name) : std::nullopt) {
        guid_ = *guid;
        number_ = parsed->sequence;
        kind_ = parsed->wants.kind;
        form_ = form::packed;
        // What it wants besides, and every way to write it that is not ours, would be lost.
        if (parsed->wants == contention{kind_} && unpacked() == name) return;
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
    const std::string* kept = nullptr;
    std::memcpy(&kept, &guid_, sizeof kept);
    return *kept;
}

std::string packed_name::unpacked() const {
    const auto guid = guid_text(guid_);
    return contender_prefix({guid.data(), guid.size()}, {kind_}) + fmt::format("{:010}", number_);
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
