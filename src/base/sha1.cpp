// SPDX-License-Identifier: Apache-2.0
#include "base/sha1.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/check.hpp"
#include "base/random.hpp"
#include "support/hexadecimal.hpp"

namespace turnstile::base {
namespace {

constexpr std::size_t k_block = 64;
constexpr std::size_t k_length = 8;  // bytes at the message's end: the text's length in bits

using sha1_state = std::array<std::uint32_t, 5>;

struct round_part {
    std::uint32_t mixed;
    std::uint32_t constant;
};

round_part part_of(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
    if (round < 20) return {(b & c) | (~b & d), 0x5a827999U};
    if (round < 40) return {b ^ c ^ d, 0x6ed9eba1U};
    if (round < 60) return {(b & c) | (b & d) | (c & d), 0x8f1bbcdcU};
    return {b ^ c ^ d, 0xca62c1d6U};
}

void add_block(sha1_state& state, std::string_view block) noexcept {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i != k_block; ++i)
        words[i / 4] = (words[i / 4] << 8U) | static_cast<unsigned char>(block[i]);
    for (std::size_t i = 16; i != words.size(); ++i)
        words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    auto [a, b, c, d, e] = state;
    for (std::size_t i = 0; i != words.size(); ++i) {
        const auto [mixed, constant] = part_of(i, b, c, d);
        const auto next = std::rotl(a, 5) + mixed + e + constant + words[i];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

// Returns the end of the padded message: the rest of the text, a set bit, zeroes, and the length of the whole text.
std::string last_blocks(std::string_view rest, std::uint64_t bits) {
    std::string end{rest};
    end += '\x80';
    while (end.size() % k_block != k_block - k_length) end += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift);
    return end;
}

}  // namespace

sha1_digest sha1(std::string_view text) {
    sha1_state state{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
    auto rest = text;
    for (; rest.size() >= k_block; rest.remove_prefix(k_block)) add_block(state, rest);
    const auto end = last_blocks(rest, std::uint64_t{8} * text.size());
    for (std::size_t at = 0; at != end.size(); at += k_block)
        add_block(state, std::string_view{end}.substr(at));
    sha1_digest digest{};
    for (std::size_t i = 0; i != digest.size(); ++i)
        digest[i] = static_cast<unsigned char>(state[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

std::string name_guid(std::string_view space, std::string_view name) {
    std::string text;
    for (auto rest = space; !rest.empty();) {
        const bool dash = rest.front() == '-';
        const auto byte = dash ? std::nullopt : support::byte_of_hexadecimal(rest);
        TURNSTILE_CHECK(dash || byte);
        if (byte) text += static_cast<char>(*byte);
        rest.remove_prefix(dash ? 1 : 2);
    }
    const auto digest = sha1(text.append(name));
    guid_bytes bytes{};
    std::copy_n(digest.begin(), bytes.size(), bytes.begin());
    return guid_text(bytes, 5);
}

}  // namespace turnstile::base
