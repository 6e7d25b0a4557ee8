// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/way_to_leader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "zookeeper/addresses.hpp"

namespace turnstile::zookeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class way_to_leader_test : public ::testing::Test {
protected:
    static socket_address address(std::uint16_t port) { return resolve({"127.0.0.1", port}).at(0); }
    way_to_leader to(std::uint16_t port) { return way_to(address(port), known, chance); }
    // Adds a host name that resolves to addresses of this machine with these ports.
    void add(const std::string& name, const std::vector<std::uint16_t>& ports) {
        known.hosts.push_back(name);
        if (ports.empty()) ++known.missing;
        for (const auto port : ports) {
            const auto text = "127.0.0.1:" + std::to_string(port);
            known.addresses.push_back(address(port));
            known.host_of[text] = ports.size() == 1 ? name : text;
        }
    }

    resolved_servers known;
    base::random chance{7};
};

TEST_F(way_to_leader_test, has_the_leader_first_and_all_others) {
    add("a", {1});
    add("b", {2});
    add("c", {3});
    const auto way = to(2);
    EXPECT_EQ(way.hosts.front(), "b");
    EXPECT_THAT(way.hosts, UnorderedElementsAre("a", "b", "c"));
    EXPECT_EQ(way.addresses, 3U);
    EXPECT_FALSE(way.by_address);
}

TEST_F(way_to_leader_test, of_an_even_number_has_the_leader_once_more) {
    add("a", {1});
    add("b", {2});
    const auto way = to(1);
    EXPECT_THAT(way.hosts, ElementsAre("a", "b", "a"));
    EXPECT_EQ(way.addresses, 3U);
}

TEST_F(way_to_leader_test, counts_a_name_that_has_no_address_now) {
    add("a", {1});
    add("b", {2});
    add("c", {});
    EXPECT_EQ(to(1).hosts.size(), 3U);
}

TEST_F(way_to_leader_test, has_an_address_beside_a_name_that_stands_for_several) {
    add("a", {1, 2});
    add("b", {3});
    const auto way = to(2);
    EXPECT_EQ(way.hosts.front(), "127.0.0.1:2");
    EXPECT_TRUE(way.by_address);
    EXPECT_EQ(way.hosts.size(),
              4U);  // a, b and the leader, and at the end the leader again
    EXPECT_EQ(way.addresses, 5U);
}

TEST_F(way_to_leader_test, has_addresses_where_the_names_take_long) {
    known.by_address = true;
    for (std::uint16_t port = 1; port != 4; ++port) {
        const auto text = "127.0.0.1:" + std::to_string(port);
        known.addresses.push_back(address(port));
        known.hosts.push_back(text);
        known.host_of[text] = text;
    }
    const auto way = to(3);
    EXPECT_EQ(way.hosts.front(), "127.0.0.1:3");
    EXPECT_TRUE(way.by_address);
    EXPECT_EQ(way.addresses, 3U);
}

// The C client fails at the first address (a multicast address), and then tries the other addresses.
TEST_F(way_to_leader_test, from_silence_begins_with_an_address_that_cannot_be_connected_to) {
    add("a", {1});
    add("b", {2});
    add("c", {3});
    const auto way = way_from_silence(address(1), address(3), known, chance);
    EXPECT_THAT(way.hosts, ElementsAre("224.0.0.1:1", "c", "c", "b", "a"));
    EXPECT_EQ(way.addresses, 5U);
}

TEST_F(way_to_leader_test, from_silence_may_lead_to_the_same_server) {
    add("a", {1});
    const auto way = way_from_silence(address(1), address(1), known, chance);
    EXPECT_THAT(way.hosts, ElementsAre("224.0.0.1:1", "a", "a"));
    EXPECT_EQ(way.addresses, 3U);
}

TEST(resolved_servers, have_one_host_for_each_server) {
    const auto known = resolve_all({{{"127.0.0.1", 1}, {"127.0.0.1", 2}}, {}});
    EXPECT_THAT(known.hosts, ElementsAre("127.0.0.1:1", "127.0.0.1:2"));
    EXPECT_EQ(known.addresses.size(), 2U);
    EXPECT_EQ(known.missing, 0U);
}

}  // namespace
}  // namespace turnstile::zookeeper
