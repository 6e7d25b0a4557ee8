#include "core/packed_name.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace turnstile::core {

namespace {

// Nothing, if it is none. That it is written as we write it is for the caller to see.
std::optional<boost::uuids::uuid> parse_guid(std::string_view text) {
    if (text.empty()) return std::nullopt;
    try {
        return boost::uuids::string_generator{}(text.begin(), text.end());
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
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
    return contender_child(boost::uuids::to_string(guid_), {kind_}, number_);
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
