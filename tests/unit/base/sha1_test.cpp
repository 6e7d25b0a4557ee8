// SPDX-License-Identifier: Apache-2.0
#include "base/sha1.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "support/hexadecimal.hpp"

namespace turnstile::base {
namespace {

std::string digits_of(const std::string& text) {
    return support::hexadecimal_digits(sha1(text));
}

// NIST's examples: short texts, and a million times one letter.
TEST(sha1, of_known_texts) {
    EXPECT_EQ(digits_of(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(digits_of("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(digits_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    EXPECT_EQ(digits_of(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

// The values come from Python's hashlib. From 56 bytes on, the padding needs another block.
TEST(sha1, at_the_borders_of_blocks) {
    const std::array<std::pair<std::size_t, const char*>, 4> k_known{{
        {55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"},
        {56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"},
        {63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"},
        {64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"},
    }};
    for (const auto& [size, digits] : k_known)
        EXPECT_EQ(digits_of(std::string(size, 'a')), digits) << size;
}

// The value comes from Python's uuid.uuid5 in the name space for domain names.
TEST(name_guid, is_a_uuid_of_version_5) {
    EXPECT_EQ(name_guid("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "example.org"),
              "aad03681-8b63-5304-89e0-8ca8f49461b5");
}

}  // namespace
}  // namespace turnstile::base
