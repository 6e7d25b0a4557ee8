// SPDX-License-Identifier: Apache-2.0
#include "core/contender/znode_watches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string k_folder = "/locks/a";
const std::string k_first = "_c_1f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0-lock-0000000001";
const std::string k_second = "_c_2f0e2d3c-4b5a-4678-8796-a5b4c3d2e1f0-lock-0000000000";

std::vector<std::string> paths(const awaited_znodes& all) {
    std::vector<std::string> names;
    for (const auto& znode : all) names.push_back(znode.path(k_folder));
    return names;
}

TEST(awaited_znodes, are_in_the_order_of_their_names_the_folder_first) {
    awaited_znodes all;
    EXPECT_THAT(paths(all), IsEmpty());
    EXPECT_NE(all.add(k_second), nullptr);
    EXPECT_NE(all.add(k_first), nullptr);
    EXPECT_NE(all.add("lock-0000000003"), nullptr);
    EXPECT_NE(all.add(""), nullptr);
    EXPECT_THAT(paths(all), ElementsAre(k_folder, k_folder + '/' + k_first,
                                        k_folder + '/' + k_second, k_folder + "/lock-0000000003"));
}

TEST(awaited_znodes, are_added_once) {
    awaited_znodes all;
    EXPECT_EQ(all.add(k_first)->path(k_folder), k_folder + '/' + k_first);
    EXPECT_EQ(all.add(k_first), nullptr);
    EXPECT_EQ(paths(all).size(), 1U);
}

TEST(awaited_znodes, are_found_by_their_paths) {
    awaited_znodes all;
    EXPECT_EQ(all.find(k_folder, k_folder), nullptr);
    all.add(k_first);
    all.add("");
    EXPECT_EQ(all.find(k_folder, k_folder)->path(k_folder), k_folder);
    EXPECT_EQ(all.find(k_folder, k_folder + '/' + k_first)->path(k_folder),
              k_folder + '/' + k_first);
    for (const auto& other : {k_folder + '/' + k_second, k_folder + "/", k_folder + k_first,
                              "/other/" + k_first, std::string{}})
        EXPECT_EQ(all.find(k_folder, other), nullptr) << other;
}

TEST(awaited_znodes, are_removed_one_by_one_or_by_what_they_are) {
    awaited_znodes all;
    all.add(k_first);
    all.add(k_second);
    const auto gone = all.remove(*all.find(k_folder, k_folder + '/' + k_first));
    EXPECT_EQ(gone, k_first);
    EXPECT_THAT(paths(all), ElementsAre(k_folder + '/' + k_second));
    all.add(k_first);
    all.remove_if([](const awaited_znode& znode) { return znode.child == k_second; });
    EXPECT_THAT(paths(all), ElementsAre(k_folder + '/' + k_first));
}

}  // namespace
}  // namespace turnstile::core
