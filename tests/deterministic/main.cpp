// SPDX-License-Identifier: Apache-2.0
// Gives the program the same addresses in each run. Otherwise a seed would not repeat its finding.
#include <gtest/gtest.h>

#include "turnstile/testing/deterministic_run.hpp"

int main(int count, char** arguments) {
    turnstile::testing::fixed_addresses(arguments);
    ::testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
