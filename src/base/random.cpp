// SPDX-License-Identifier: Apache-2.0
#include "base/random.hpp"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "support/hexadecimal.hpp"

namespace turnstile::base {
namespace {

std::uint64_t split_mix(std::uint64_t& x) noexcept {
    x += 0x9e3779b97f4a7c15U;
    std::uint64_t z = x;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

// getrandom() needs no descriptor. It returns up to 256 bytes in one piece, and each caller needs fewer.
template <class T, std::size_t N>
void fill_from_kernel(std::array<T, N>& into) {
    while (::getrandom(into.data(), sizeof into, 0) != static_cast<ssize_t>(sizeof into)) {
        if (errno != EINTR) throw std::system_error{errno, std::generic_category(), "getrandom"};
    }
}

}  // namespace

random::random(std::uint64_t seed) noexcept : state_{} {
    for (auto& word : state_) word = split_mix(seed);
}

random random::from_system() {
    std::array<std::uint64_t, 4> state{};
    fill_from_kernel(state);
    state[0] |= 1U;  // all zeroes is the one state that the generator cannot leave
    random source{state};
    source.of_kernel_ = true;
    return source;
}

random::result_type random::operator()() noexcept {
    const std::uint64_t out = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return out;
}

double random::uniform01() noexcept {
    return static_cast<double>((*this)() >> 11U) * 0x1.0p-53;
}

// The simulator's GUIDs come from its seed, so that a replayed history has the GUIDs of the first run.
std::array<std::uint8_t, 16> random::draw_guid() {
    std::array<std::uint8_t, 16> bytes{};
    if (of_kernel_) {
        fill_from_kernel(bytes);
        return bytes;
    }
    constexpr std::size_t k_word = sizeof(result_type);
    result_type word = 0;
    for (std::size_t i = 0; i != bytes.size(); ++i, word >>= 8U) {
        if (i % k_word == 0) word = (*this)();
        bytes[i] = static_cast<std::uint8_t>(word);
    }
    return bytes;
}

// Writes the digits into a text of the final length: every contender has a GUID, and appending digit by digit takes ten
// times as long.
std::string guid_text(guid_bytes bytes, unsigned version) {
    constexpr std::string_view k_form = "00000000-0000-0000-0000-000000000000";
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | (version << 4U));
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U);
    std::string text{k_form};
    std::size_t at = 0;
    for (const auto byte : bytes) {
        if (k_form[at] == '-') ++at;
        support::write_hexadecimal(&text[at], byte);
        at += 2;
    }
    return text;
}

std::string make_guid(random& source) {
    return guid_text(source.draw_guid(), 4);
}

}  // namespace turnstile::base
