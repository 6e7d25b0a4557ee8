// SPDX-License-Identifier: Apache-2.0
// Runs the example in the comment of turnstile/testing/deterministic_run.hpp: a service under virtual time.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "turnstile/testing/deterministic_run.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile {
namespace {

using namespace std::chrono_literals;
using testing::require;

int leaders_at_once = 0;

void serve(const std::string& connect_string) {
    client servers{connect_string};
    mutex lock{servers, "/leader"};
    for (;;) {
        auto hold = lock.acquire();
        while (hold && hold->valid()) {
            leaders_at_once = 1;
            std::this_thread::sleep_for(100ms);
        }
    }
}

TEST(header_examples, deterministic_run) {
#include "examples/testing/deterministic_run.inc"
}

}  // namespace
}  // namespace turnstile
