// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/loopback_port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kit/support.hpp"

namespace {

using namespace turnstile::testing;

TEST(loopback_port_test, differs_from_all_others_that_are_held) {
    std::vector<loopback_port> ports(200);
    std::set<std::uint16_t> numbers;
    for (const auto& port : ports) numbers.insert(port.number());
    EXPECT_EQ(numbers.size(), ports.size());
}

TEST(loopback_port_test, moves_with_its_reservation) {
    loopback_port first;
    const auto number = first.number();
    const loopback_port second{std::move(first)};
    EXPECT_EQ(second.number(), number);
    EXPECT_EQ(second.address(), "127.0.0.1:" + std::to_string(number));
}

// Each process takes 400 of about 17,000 ports at random. Without reservations, the two processes would share some of
// these ports.
TEST(loopback_port_test, is_not_shared_by_two_processes) {
    kit_test::victim first{"ports"};
    kit_test::victim second{"ports"};
    ASSERT_TRUE(first.ready() && second.ready()) << first.output() << second.output();
    const auto numbers = [](const std::string& told) {
        std::istringstream in{kit_test::line_after(told, "ports")};
        return std::set<int>{std::istream_iterator<int>{in}, {}};
    };
    const auto ones = numbers(first.output());
    const auto others = numbers(second.output());
    EXPECT_FALSE(ones.empty());
    EXPECT_EQ(ones.size(), others.size());
    std::vector<int> shared;
    std::set_intersection(ones.begin(), ones.end(), others.begin(), others.end(),
                          std::back_inserter(shared));
    EXPECT_TRUE(shared.empty());
    ASSERT_TRUE(first.die() && second.die());
}

}  // namespace
