// SPDX-License-Identifier: Apache-2.0
#include "core/queue/znode_texts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace turnstile::core {
namespace {

using how = revocation_text::how;

TEST(revocation, a_mark_is_found_behind_the_contenders_own_words) {
    const std::string own = "host=web1 pid=12 label=a%20b";
    for (const auto& order :
         {revocation_text{how::ask, "ops", "stuck"}, revocation_text{how::take, "ops", ""},
          revocation_text{how::take, "", "two words = one % ä\n"},
          revocation_text{how::ask, " revoke=take by=x why=", " why=y by=z "}}) {
        const auto data = with_order(own, order);
        EXPECT_EQ(data.substr(0, own.size()), own);
        EXPECT_EQ(parse_revocation(data), order) << data;
    }
    EXPECT_EQ(with_order("a=b", {how::take, "ops", "stuck"}), "a=b revoke=take by=ops why=stuck");
}

TEST(revocation, the_latest_mark_counts) {
    const auto order = with_order("x", {how::ask, "one", "first"});
    const auto taken = with_order(order, {how::take, "two", "second"});
    EXPECT_EQ(parse_revocation(taken), (revocation_text{how::take, "two", "second"}));
    const auto again = with_order(taken, {how::ask, "three", "third"});
    EXPECT_EQ(parse_revocation(again), (revocation_text{how::ask, "three", "third"}));
}

TEST(revocation, curators_words_ask) {
    EXPECT_EQ(parse_revocation("__REVOKE__"), (revocation_text{how::ask, "", ""}));
    EXPECT_EQ(parse_revocation("unlock"), (revocation_text{how::ask, "", ""}));
}

TEST(revocation, what_curator_writes_is_known) {
    for (const auto* data : {"", "10.0.0.1", "192.168.100.7", "fe80::1%eth0", "2001:DB8::7", "::1"})
        EXPECT_TRUE(follows_curators_request(data)) << data;
    for (const auto* data :
         {"host=web1 pid=12", "web-1", "face", "12", "10.0.0.1 host", "__REVOKE__"})
        EXPECT_FALSE(follows_curators_request(data)) << data;
}

TEST(revocation, words_that_are_too_long_are_left_out_and_the_order_stands) {
    const auto words = [](std::size_t length) { return std::string(length, '%'); };
    const auto data = [&](std::size_t length) {
        return "x revoke=take by=" + words(length) + " why=" + words(length);
    };
    EXPECT_EQ(parse_revocation(data(1024)), (revocation_text{how::take, words(1024), words(1024)}));
    EXPECT_EQ(parse_revocation(data(1025)), (revocation_text{how::take, "", ""}));
}

TEST(revocation, an_operators_own_marks_come_off_the_end) {
    const std::string own = "host=web1 label=a%20b";
    const revocation_text order{how::take, "ops", "two words"};
    const auto asked = with_order(own, {how::ask, order.by, order.why});
    const auto taken = with_order(asked, order);
    EXPECT_EQ(without_orders(taken, order), own);
    EXPECT_EQ(without_orders(asked, order), own);
    EXPECT_EQ(without_orders(own, order), own);
    const auto others = with_order(taken, {how::take, "ann", "two words"});
    EXPECT_EQ(without_orders(others, order), others) << "another operator's stands behind them";
    EXPECT_EQ(without_orders(with_order(others, order), order), others);
}

TEST(revocation, other_words_are_none) {
    for (const auto* data : {"", "192.168.0.1", "host=web1 label=revoke", "unlock ", "__REVOKE__ x",
                             "x revoke=maybe by=ops why=stuck", "x revoke=take by=ops",
                             "revoke=take by=ops why=stuck", "label=%20revoke=take%20by=x%20why=y"})
        EXPECT_FALSE(parse_revocation(data)) << data;
}

}  // namespace
}  // namespace turnstile::core
