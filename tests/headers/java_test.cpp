// SPDX-License-Identifier: Apache-2.0
// The example of turnstile/testing/java_program.hpp.
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
#include "examples/testing/java_program.inc"
    EXPECT_TRUE(running.running());
}

}  // namespace
}  // namespace turnstile::testing
