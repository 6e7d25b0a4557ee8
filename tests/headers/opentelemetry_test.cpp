// SPDX-License-Identifier: Apache-2.0
// Runs the example of turnstile/opentelemetry.hpp with the meter of the API alone, which records nothing.
#include <opentelemetry/metrics/provider.h>

#include "headers/reader.hpp"
#include "turnstile/opentelemetry.hpp"

namespace turnstile::tests {
namespace {

TEST(header_examples, opentelemetry) {
#include "examples/opentelemetry.inc"
    const client in_memory{own_tree(), {.metrics = numbers}};
    mutex lock{in_memory, "/a"};
    const auto hold = lock.acquire().value();
    EXPECT_FALSE(lock.try_acquire().has_value());
    EXPECT_EQ(numbers.snapshot().locks.front().granted, 1U);
}

}  // namespace
}  // namespace turnstile::tests
