// SPDX-License-Identifier: Apache-2.0
// Runs the example of turnstile/testing/java_program.hpp.
#include "headers/reader.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::testing {
namespace {

TEST(header_examples, java_program) {
    const temporary_folder scratch;
    const auto log = scratch.path() / "log";
    const std::filesystem::path class_folder{TURNSTILE_JAVA_CLASSES};
    ensemble servers{};
    turnstile::client own{servers.connect_string()};
    turnstile::mutex orders{own, "/orders"};
    const auto hold = orders.acquire({.timeout = limit()});
#include "examples/testing/java_program.inc"
    EXPECT_TRUE(running.wait());
    EXPECT_EQ(running.exit_code(), 0) << running.output();
}

}  // namespace
}  // namespace turnstile::testing
