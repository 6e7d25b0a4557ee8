// SPDX-License-Identifier: Apache-2.0
#include "redis/bell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/sha1.hpp"
#include "support/hexadecimal.hpp"

namespace turnstile::redis {
namespace {

using ::testing::ElementsAre;

const std::string k_mark = "1:30000000:secret:";

std::string packed(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i != bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
}
std::string with_length(const std::string& text) {
    return packed(text.size(), 4) + text;
}
std::string in_double(double value) {
    return packed(std::bit_cast<std::uint64_t>(value), 8);
}
std::string removal(const std::string& path) {
    const auto event =
        packed(static_cast<std::uint64_t>(core::watch_kind::deleted), 1) + with_length(path);
    return in_double(77) + with_length(event);
}
std::string folder(const std::vector<std::string>& names) {
    std::string head;
    for (int i = 0; i != 6; ++i) head += in_double(i);
    head += packed(3, 4) + packed(9, 4) + packed(names.size(), 4) + packed(0, 4);
    std::string text = head + packed(5, 4) + with_length("/a");
    for (const auto& name : names) text += with_length(name);
    return text;
}
std::string sealed(const std::string& body, const std::string& mark = k_mark) {
    return support::hexadecimal_digits(base::sha1(body + mark)) + body;
}

TEST(redis_bell, tells_a_removal_and_what_is_left) {
    const auto told = parse_bell(sealed(removal("/a/x") + folder({"y", "z"})), k_mark);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->zxid, 77);
    EXPECT_EQ(told->event.kind, core::watch_kind::deleted);
    EXPECT_EQ(told->event.path, "/a/x");
    ASSERT_TRUE(told->listing);
    EXPECT_EQ(told->listing->to, core::operation{core::children_op{"/a"}});
    const auto& reply = told->listing->reply;
    EXPECT_EQ(reply.outcome, core::outcome::answered);
    EXPECT_THAT(reply.children, ElementsAre("y", "z"));
    EXPECT_EQ(reply.stat.version, 3);
    EXPECT_EQ(reply.stat.num_children, 2);
    EXPECT_EQ(reply.stat.data_length, 5);
}

TEST(redis_bell, tells_a_removal_alone_where_the_list_is_long) {
    const auto told = parse_bell(sealed(removal("/a/x")), k_mark);
    ASSERT_TRUE(told);
    EXPECT_FALSE(told->listing);
}

TEST(redis_bell, of_another_connection_is_none) {
    const auto text = removal("/a/x") + folder({});
    EXPECT_FALSE(parse_bell(sealed(text, "2:30000000:secret:"), k_mark));
    EXPECT_FALSE(parse_bell(text, k_mark));
    EXPECT_FALSE(parse_bell("", k_mark));
}

TEST(redis_bell, that_is_cut_short_brings_no_list) {
    const auto whole = removal("/a/x") + folder({"y", "z"});
    const auto event = removal("/a/x").size();
    for (std::size_t length = 0; length != whole.size(); ++length) {
        const auto told = parse_bell(sealed(whole.substr(0, length)), k_mark);
        EXPECT_EQ(told.has_value(), length >= event) << length;
    }
}

TEST(redis_bell, with_numbers_that_no_script_writes_is_none) {
    const auto event = packed(1, 1) + with_length("/a/x");
    for (const double zxid : {std::nan(""), 1e300, 0.5})
        EXPECT_FALSE(parse_bell(sealed(in_double(zxid) + with_length(event)), k_mark)) << zxid;
    auto list = folder({});
    list.replace(64, 4, packed(0x80000000, 4));  // length of the folder's data
    const auto told = parse_bell(sealed(removal("/a/x") + list), k_mark);
    ASSERT_TRUE(told);
    EXPECT_FALSE(told->listing);
}

}  // namespace
}  // namespace turnstile::redis
