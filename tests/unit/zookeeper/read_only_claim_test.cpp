// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/read_only_claim.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <system_error>

#include "turnstile/error.hpp"

namespace turnstile::zookeeper {
namespace {

const ensemble_address k_east{{{"east1", 2181}, {"east2", 2181}}, "/a"};
const ensemble_address k_same{{{"east2", 2181}, {"east1", 2181}}, "/b"};
const ensemble_address k_west{{{"west1", 2181}}, {}};

bool refused(const ensemble_address& servers, bool read_only) {
    try {
        const read_only_claim claim{servers, read_only};
        return false;
    } catch (const std::system_error& thrown) {
        EXPECT_EQ(thrown.code(), errc::bad_option);
        return true;
    }
}

TEST(read_only_claim, refuses_a_client_of_other_servers_beside_one_that_may_attach_read_only) {
    std::optional<read_only_claim> east{std::in_place, k_east, true};
    EXPECT_TRUE(refused(k_west, false));
    EXPECT_TRUE(refused(k_west, true));
    EXPECT_FALSE(refused(k_same, false)) << "another order and another chroot";
    east.reset();
    EXPECT_FALSE(refused(k_west, true));
}

TEST(read_only_claim, refuses_one_that_may_attach_read_only_beside_a_client_of_other_servers) {
    const read_only_claim east{k_east, false};
    EXPECT_TRUE(refused(k_west, true));
    EXPECT_FALSE(refused(k_west, false)) << "neither may";
    EXPECT_FALSE(refused(k_same, true));
}

}  // namespace
}  // namespace turnstile::zookeeper
