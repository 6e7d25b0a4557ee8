// SPDX-License-Identifier: Apache-2.0
#include "turnstile/fencing_token.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace turnstile {
namespace {

constexpr std::uint64_t k_largest = ~std::uint64_t{0};

std::vector<fencing_token> samples() {
    return {fencing_token{},
            fencing_token{0, 1},
            fencing_token{1},
            fencing_token{255},
            fencing_token{256},
            fencing_token{0x500000007},
            fencing_token{0x500000007, 1},
            fencing_token{0x500000007, 0x100},
            fencing_token{0x500000007, ~std::uint32_t{0}},
            fencing_token{0x500000008},
            fencing_token{k_largest, ~std::uint32_t{0}}};
}

TEST(fencing_token, prints_zxid_and_counter) {
    EXPECT_EQ(fencing_token{0x500000007}.to_string(), "0x500000007");
    EXPECT_EQ((fencing_token{0x500000007, 3}.to_string()), "0x500000007+3");
    EXPECT_EQ(fencing_token{}.to_string(), "0x0");
}

TEST(fencing_token, parses_what_it_prints) {
    for (const auto& token : samples()) {
        const auto parsed = fencing_token::parse(token.to_string());
        ASSERT_TRUE(parsed) << token.to_string();
        EXPECT_EQ(*parsed, token);
    }
}

TEST(fencing_token, has_a_text_of_one_length_that_sorts_as_the_tokens_do) {
    EXPECT_EQ((fencing_token{0x500000007, 3}.to_hex()), "000000050000000700000003");
    const auto all = samples();
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(fencing_token::parse(all[i].to_hex()).value(), all[i]);
        for (std::size_t j = 0; j < all.size(); ++j)
            EXPECT_EQ(all[i].to_hex() < all[j].to_hex(), i < j) << i << " and " << j;
    }
}

TEST(fencing_token, refuses_any_other_text) {
    for (const auto* text : {"",
                             "0x",
                             "5",
                             "0x5+",
                             "0x5+0",
                             "0x5+01",
                             "0x05",
                             "0X5",
                             "0xA",
                             "0x-1",
                             "0x5 ",
                             " 0x5",
                             "0x5+3+3",
                             "0x5+-3",
                             "0x5+4294967296",
                             "0x10000000000000000",
                             "x5",
                             "0xg",
                             "00000005000000070000000",
                             "0000000500000007000000030",
                             "00000005000000070000000A",
                             "+00000050000000700000003",
                             "0x0000050000000700000003"}) {
        const auto parsed = fencing_token::parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error(), errc::bad_option);
        EXPECT_NE(parsed.error().message().find(text), std::string::npos);
    }
}

TEST(fencing_token, packs_into_bytes_that_sort_as_the_tokens_do) {
    const auto all = samples();
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(fencing_token::unpack(all[i].pack()), all[i]);
        for (std::size_t j = 0; j < all.size(); ++j) {
            const auto a = all[i].pack();
            const auto b = all[j].pack();
            const int order = std::memcmp(a.data(), b.data(), a.size());
            EXPECT_EQ(order < 0, all[i] < all[j]);
            EXPECT_EQ(order < 0, i < j);
        }
    }
}

TEST(fencing_token, packs_big_endian) {
    const fencing_token::packed expected{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    EXPECT_EQ((fencing_token{0x0102030405060708, 0x090a0b0c}.pack()), expected);
}

}  // namespace
}  // namespace turnstile
