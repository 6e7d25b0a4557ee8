// SPDX-License-Identifier: Apache-2.0
#include "support/last_words.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace turnstile::support {
namespace {

template <class Failure>
void fail_in_a_thread(const Failure& failure) {
    name_lack_of_memory("a-program");
    std::thread{[&] { throw failure; }}.join();
}

TEST(last_words, name_the_lack_of_memory_of_any_thread) {
    EXPECT_EXIT(fail_in_a_thread(std::bad_alloc{}), ::testing::KilledBySignal(SIGABRT),
                "^a-program: out of memory: the process ends\n$");
}

TEST(last_words, leave_other_failures_to_the_runtime) {
    EXPECT_EXIT(fail_in_a_thread(std::logic_error{"another"}), ::testing::KilledBySignal(SIGABRT),
                "logic_error");
}

}  // namespace
}  // namespace turnstile::support
