// SPDX-License-Identifier: Apache-2.0
#include "turnstile/fencing_token.hpp"

#include <charconv>
#include <cstring>
#include <optional>

#include "support/hexadecimal.hpp"

namespace turnstile {
namespace {

template <class T>
std::string digits(T value, int base) {
    std::array<char, 24> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base).ptr;
    return {buffer.data(), end};
}

// Reads all of `text` as a number. Accepts only the form that `digits` writes (no capitals, no leading zeroes), so that
// each token has exactly one text.
template <class T>
bool read(std::string_view text, int base, T& value) {
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), value, base);
    return failure == std::errc{} && end == text.data() + text.size() &&
           digits(value, base) == text;
}

// Parses the output of to_hex().
std::optional<fencing_token> of_packed_digits(std::string_view text) {
    fencing_token::packed bytes{};
    if (text.size() != 2 * bytes.size()) return std::nullopt;
    for (std::size_t i = 0; i != bytes.size(); ++i) {
        const auto byte =
            support::byte_of_hexadecimal(text.substr(2 * i), support::digit_case::lower);
        if (!byte) return std::nullopt;
        bytes[i] = *byte;
    }
    return fencing_token::unpack(bytes);
}

}  // namespace

std::string fencing_token::to_hex() const {
    return support::hexadecimal_digits(pack());
}

std::string fencing_token::to_string() const {
    std::string out = "0x" + digits(zxid_, 16);
    if (counter_ != 0) out += "+" + digits(counter_, 10);
    return out;
}

result<fencing_token> fencing_token::parse(std::string_view text) {
    const auto refused = [&] {
        return error{errc::bad_option,
                     "fencing token \"" + std::string{text.substr(0, 64)} +
                         "\" must be 0x<hexadecimal>, 0x<hexadecimal>+<decimal> or 24 hexadecimal "
                         "digits"};
    };
    if (const auto packed = of_packed_digits(text)) return *packed;
    if (!text.starts_with("0x")) return refused();
    const std::string_view numbers = text.substr(2);
    const auto plus = numbers.find('+');
    std::uint64_t zxid = 0;
    if (!read(numbers.substr(0, plus), 16, zxid)) return refused();
    std::uint32_t counter = 0;
    if (plus != std::string_view::npos &&
        (!read(numbers.substr(plus + 1), 10, counter) || counter == 0)) {
        return refused();
    }
    return fencing_token{zxid, counter};
}

fencing_token::packed fencing_token::pack() const noexcept {
    packed bytes{};
    for (unsigned i = 0; i < 8; ++i) {
        bytes[i] = static_cast<unsigned char>(zxid_ >> (56U - 8U * i));
    }
    for (unsigned i = 0; i < 4; ++i) {
        bytes[8 + i] = static_cast<unsigned char>(counter_ >> (24U - 8U * i));
    }
    return bytes;
}

fencing_token fencing_token::unpack(const packed& bytes) noexcept {
    std::uint64_t zxid = 0;
    std::uint32_t counter = 0;
    for (unsigned i = 0; i < 8; ++i) zxid = (zxid << 8U) | bytes[i];
    for (unsigned i = 8; i < k_packed_size; ++i) counter = (counter << 8U) | bytes[i];
    return fencing_token{zxid, counter};
}

}  // namespace turnstile
