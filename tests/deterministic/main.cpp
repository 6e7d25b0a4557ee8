// SPDX-License-Identifier: Apache-2.0
// The same addresses in each run: what was found with a seed is found again.
#include <gtest/gtest.h>

#include "turnstile/testing/deterministic_run.hpp"

int main(int count, char** arguments) {
    turnstile::testing::fixed_addresses(arguments);
    ::testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
