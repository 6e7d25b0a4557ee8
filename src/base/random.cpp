// SPDX-License-Identifier: Apache-2.0
#include "base/random.hpp"

#include <sys/random.h>

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

}  // namespace

random::random(std::uint64_t seed) noexcept : state_{} {
    for (auto& word : state_) word = split_mix(seed);
}

random random::from_system() {
    std::array<std::uint64_t, 4> state{};
    // Needs no descriptor, and gives so few bytes whole.
    while (::getrandom(state.data(), sizeof state, 0) != static_cast<ssize_t>(sizeof state)) {
        if (errno != EINTR) throw std::system_error{errno, std::generic_category(), "getrandom"};
    }
    state[0] |= 1U;  // the one state that the generator cannot leave is all zeroes
    return random{state};
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

// Each contender has one: Boost's to_string() appends digit by digit, which takes ten times as long.
std::string make_guid(random& source) {
    constexpr std::string_view k_form = "00000000-0000-0000-0000-000000000000";
    boost::uuids::basic_random_generator<random> generate{source};
    std::string text{k_form};
    std::size_t at = 0;
    for (const auto byte : generate()) {
        if (k_form[at] == '-') ++at;
        write_hexadecimal(&text[at], byte);
        at += 2;
    }
    return text;
}

}  // namespace turnstile::base
