// SPDX-License-Identifier: Apache-2.0
// packed_name: the name of a contender, in 24 bytes if it is one of ours that says nothing but its kind: its GUID and
// its number instead of the text. Of a hundred thousand waiters each has two names, its own and that of the one
// ahead, and a text of 57 characters has a block of its own. Any other name is kept as it is.
//
// A value; says what it was given, to the letter. Thread safety: none needed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/queue/contender_name.hpp"

namespace turnstile::core {

class packed_name {
public:
    using guid = std::array<std::uint64_t, 2>;  // its digits, the first ones in the high bits

    packed_name() = default;
    packed_name(std::string_view name);  // NOLINT(google-explicit-constructor): a name is a name
    packed_name(const std::string& name) : packed_name{std::string_view{name}} {}  // NOLINT
    packed_name(const packed_name& other);
    packed_name(packed_name&& other) noexcept { swap(other); }
    packed_name& operator=(packed_name other) noexcept {
        swap(other);
        return *this;
    }
    ~packed_name();

    [[nodiscard]] bool empty() const noexcept { return form_ == form::none; }
    [[nodiscard]] std::string str() const;
    // As contender_sequence() says of the text.
    [[nodiscard]] std::optional<std::int32_t> sequence() const noexcept;

    friend bool operator==(const packed_name& a, const packed_name& b) noexcept;

private:
    enum class form : std::uint8_t { none, packed, text };

    void swap(packed_name& other) noexcept;
    void keep(std::string_view name);
    [[nodiscard]] const std::string& text() const noexcept;
    [[nodiscard]] std::string unpacked() const;

    guid guid_{};  // of form `text`: the address of the text is in these bytes
    std::int32_t number_ = 0;
    contender_kind kind_ = contender_kind::lock;
    form form_ = form::none;
};

}  // namespace turnstile::core
