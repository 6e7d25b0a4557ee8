// SPDX-License-Identifier: Apache-2.0
#include "base/random.hpp"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <boost/uuid/random_generator.hpp>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/hexadecimal.hpp"

namespace turnstile::base {
namespace {

std::uint64_t split_mix(std::uint64_t& x) noexcept {
    x += 0x9e3779b97f4a7c15U;
    std::uint64_t z = x;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

// Needs no descriptor, and gives so few bytes whole.
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
    state[0] |= 1U;  // the one state that the generator cannot leave is all zeroes
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

std::array<std::uint8_t, 16> random::draw_guid() {
    std::array<std::uint8_t, 16> bytes{};
    if (of_kernel_) {
        fill_from_kernel(bytes);
        bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x40U);  // the version
        bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U);  // the variant
    } else {
        const auto guid = boost::uuids::basic_random_generator<random>{*this}();
        std::copy(guid.begin(), guid.end(), bytes.begin());
    }
    return bytes;
}

// Each contender has one: Boost's to_string() appends digit by digit, which takes ten times as long.
std::string make_guid(random& source) {
    constexpr std::string_view k_form = "00000000-0000-0000-0000-000000000000";
    std::string text{k_form};
    std::size_t at = 0;
    for (const auto byte : source.draw_guid()) {
        if (k_form[at] == '-') ++at;
        write_hexadecimal(&text[at], byte);
        at += 2;
    }
    return text;
}

}  // namespace turnstile::base
