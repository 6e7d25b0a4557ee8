// SPDX-License-Identifier: Apache-2.0
// Tests vectors of fencing tokens (comparison, maximum, text), and the names of the locks in them.
#include <gtest/gtest.h>

#include "base/resource_name.hpp"
#include "turnstile/fencing_vector.hpp"

namespace turnstile {
namespace {

fencing_vector tokens(std::vector<fencing_vector::component> all) {
    return fencing_vector{std::move(all)};
}
fencing_token token(std::uint64_t zxid) {
    return fencing_token{zxid};
}

TEST(fencing_vector, is_behind_if_one_token_is_lower) {
    const auto seen = tokens({{"a", token(5)}, {"b", token(7)}});
    EXPECT_FALSE(tokens({{"a", token(5)}, {"b", token(7)}}).is_behind(seen));
    EXPECT_FALSE(tokens({{"a", token(6)}, {"b", token(8)}}).is_behind(seen));
    EXPECT_TRUE(tokens({{"a", token(6)}, {"b", token(6)}}).is_behind(seen));
    EXPECT_TRUE(tokens({{"a", token(4)}, {"b", token(9)}}).is_behind(seen));
}

TEST(fencing_vector, names_that_only_one_has_decide_nothing) {
    const auto seen = tokens({{"a", token(5)}, {"b", token(7)}});
    EXPECT_FALSE(tokens({{"c", token(1)}}).is_behind(seen));
    EXPECT_FALSE(tokens({{"b", token(8)}, {"c", token(1)}}).is_behind(seen));
    EXPECT_FALSE(tokens({}).is_behind(seen));
    EXPECT_FALSE(seen.is_behind({}));
}

TEST(fencing_vector, raise_keeps_the_larger_of_each) {
    auto seen = tokens({{"b", token(5)}, {"c", token(7)}});
    seen.raise(tokens({{"a", token(1)}, {"b", token(6)}, {"c", token(2)}, {"d", token(3)}}));
    EXPECT_EQ(seen, tokens({{"a", token(1)}, {"b", token(6)}, {"c", token(7)}, {"d", token(3)}}));
    EXPECT_EQ(*seen.find("c"), token(7));
    EXPECT_EQ(seen.find("e"), nullptr);
}

TEST(fencing_vector, a_quorum_that_another_one_followed_is_refused) {
    fencing_vector seen;
    const auto first = tokens({{"east", token(5)}, {"north", token(50)}});
    const auto second = tokens({{"north", token(51)}, {"west", token(2)}});
    seen.raise(first);
    EXPECT_FALSE(second.is_behind(seen));
    seen.raise(second);
    EXPECT_TRUE(first.is_behind(seen));
}

TEST(fencing_vector, parses_what_it_prints) {
    const auto odd = tokens({{"zk1:2181,zk2:2181/shop/a=b;c%d e\n", fencing_token{7, 3}},
                             {"\xc3\xa9", token(0x500000007)}});
    EXPECT_EQ(odd.to_string(),
              "zk1:2181,zk2:2181/shop/a%3db%3bc%25d%20e%0a=0x7+3;%c3%a9=0x500000007");
    EXPECT_EQ(fencing_vector::parse(odd.to_string()).value(), odd);
    EXPECT_EQ(fencing_vector::parse("").value(), fencing_vector{});
}

TEST(fencing_vector, refuses_other_texts_and_names_the_rule) {
    for (const char* text : {"a", "a=", "=0x1", "a=0x1;", ";a=0x1", "a=0x1;a=0x2", "a%2=0x1",
                             "a b=0x1", "a%61=0x1", "a%3D=0x1", "a=0x1=0x2"}) {
        const auto refused = fencing_vector::parse(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error(), errc::bad_option) << text;
    }
    EXPECT_NE(fencing_vector::parse("a=0x1;a=0x2").error().message().find("\"a\" has two"),
              std::string::npos);
    EXPECT_THROW(tokens({{"", token(1)}}), std::system_error);
}

TEST(resource_name, is_the_same_however_the_servers_are_listed) {
    const auto name = base::make_resource_name("ZK2:2181,zk1:2181/shop", "/orders");
    EXPECT_EQ(name, base::make_resource_name("zk1:2181,zk2:2181,zk1:2181", "/shop/orders"));
    EXPECT_EQ(name.to_string(), "zk1:2181,zk2:2181/shop/orders");
    EXPECT_EQ(base::split_resource_name(name.to_string()), name);
    EXPECT_EQ(base::make_resource_name("local:Tree/a", "/b").to_string(), "local:Tree/a/b");
    const auto redis = base::make_resource_name("redis://B:2,a:1/shop?db=2&tree=T", "/orders");
    EXPECT_EQ(redis, (base::resource_name{"/shop/orders", "redis://a:1,b:2?db=2&tree=T"}));
    EXPECT_EQ(base::split_resource_name(redis.to_string()), redis);
    EXPECT_EQ(base::make_resource_name("redis://a:1", "/b").to_string(), "redis://a:1/b");
    EXPECT_EQ(base::split_resource_name("/b"), (base::resource_name{"/b", ""}));
}

// Processes may list an ensemble's servers in different orders. Names are ordered by the path first, so the processes
// still agree on the order of two locks.
TEST(resource_name, is_ordered_by_its_path_first) {
    EXPECT_LT(base::make_resource_name("zk9:1", "/a"), base::make_resource_name("zk1:1", "/b"));
    EXPECT_LT(base::make_resource_name("zk1:1", "/a"), base::make_resource_name("zk9:1", "/a"));
}

}  // namespace
}  // namespace turnstile
