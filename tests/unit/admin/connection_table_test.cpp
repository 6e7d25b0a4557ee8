// SPDX-License-Identifier: Apache-2.0
// Tests which connections a full server closes for a new connection, and to which address each limit applies.
#include "admin/http/connection_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "admin/http/listen_address.hpp"

namespace turnstile::admin {
namespace {

class connection_places : public ::testing::Test {
protected:
    std::uint64_t enter(const std::string& key) {
        const auto place = table.admit(key);
        EXPECT_TRUE(place.id) << key;
        EXPECT_FALSE(place.dropped) << key;
        return place.id.value_or(0);
    }
    connection_table table{{.most = 6, .most_of_address = 3, .kept = 2}};
};

TEST_F(connection_places, an_address_that_is_full_drops_its_longest_idle_one) {
    const auto first = enter("a");
    const auto second = enter("a");
    enter("a");
    table.set_idle(first, false);
    table.set_idle(first, true);  // the connection that became idle last
    const auto place = table.admit("a");
    EXPECT_TRUE(place.id);
    EXPECT_EQ(place.dropped, second);
    EXPECT_EQ(table.size(), 3U);
}

TEST_F(connection_places, an_address_whose_connections_are_busy_gets_no_more) {
    for (int i = 0; i != 3; ++i) table.set_idle(enter("a"), false);
    const auto place = table.admit("a");
    EXPECT_FALSE(place.id);
    EXPECT_FALSE(place.dropped);
    enter("b");
}

TEST_F(connection_places, the_last_ones_are_kept_for_new_addresses) {
    for (const auto* key : {"a", "a", "b", "b"}) table.set_idle(enter(key), false);
    EXPECT_FALSE(table.admit("a").id);
    table.set_idle(enter("c"), false);
    table.set_idle(enter("d"), false);
    EXPECT_FALSE(table.admit("e").id);
}

TEST_F(connection_places, the_address_with_the_most_makes_room) {
    enter("b");
    const auto oldest_of_a = enter("a");
    enter("a");
    enter("a");
    const auto place = table.admit("b");
    EXPECT_TRUE(place.id);
    EXPECT_EQ(place.dropped, oldest_of_a);
}

TEST_F(connection_places, a_connection_that_has_gone_leaves_its_place) {
    std::vector<std::uint64_t> all;
    for (int i = 0; i != 3; ++i) all.push_back(enter("a"));
    for (const auto id : all) table.set_idle(id, false);
    table.remove(all.front());
    table.remove(all.front());
    table.set_idle(all.front(), true);
    enter("a");
    EXPECT_EQ(table.size(), 3U);
}

TEST(peer_keys, a_machine_has_one) {
    EXPECT_EQ(peer_key("192.0.2.1"), "192.0.2.1");
    EXPECT_EQ(peer_key("::ffff:192.0.2.1"), "192.0.2.1");
    EXPECT_NE(peer_key("192.0.2.1"), peer_key("192.0.2.2"));
    EXPECT_EQ(peer_key("2001:db8:1:2:3:4:5:6"), peer_key("2001:db8:1:2:ffff::"));
    EXPECT_NE(peer_key("2001:db8:1:2:3:4:5:6"), peer_key("2001:db8:1:3:3:4:5:6"));
    EXPECT_EQ(peer_key("fe80::1%lo"), peer_key("fe80::2"));
    EXPECT_NE(peer_key("::1"), peer_key("192.0.2.1"));
}

}  // namespace
}  // namespace turnstile::admin
