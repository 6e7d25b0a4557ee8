// SPDX-License-Identifier: Apache-2.0
#include "support/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace turnstile::support {
namespace {

bool is_open(int number) {
    return ::fcntl(number, F_GETFD) >= 0;
}

descriptor open_file() {
    return descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
}

TEST(descriptor, closes_what_it_owns) {
    int number = -1;
    {
        const descriptor file = open_file();
        number = file.get();
        ASSERT_TRUE(file.open());
        EXPECT_TRUE(is_open(number));
    }
    EXPECT_FALSE(is_open(number));
}

TEST(descriptor, a_negative_number_is_none) {
    EXPECT_FALSE(descriptor{}.open());
    EXPECT_FALSE(descriptor{::open("/nowhere/at/all", O_RDONLY | O_CLOEXEC)}.open());
}

TEST(descriptor, a_move_takes_the_number_and_closes_what_was_there) {
    descriptor first = open_file();
    descriptor second = open_file();
    const int kept = first.get();
    const int replaced = second.get();
    second = std::move(first);
    EXPECT_EQ(second.get(), kept);
    EXPECT_TRUE(is_open(kept));
    EXPECT_FALSE(is_open(replaced));
    const descriptor third{std::move(second)};
    EXPECT_EQ(third.get(), kept);
    EXPECT_TRUE(is_open(kept));
}

TEST(descriptor, what_is_released_is_left_open) {
    descriptor file = open_file();
    const int number = file.release();
    EXPECT_FALSE(file.open());
    EXPECT_TRUE(is_open(number));
    ::close(number);
}

TEST(descriptor, a_reset_closes_at_once) {
    descriptor file = open_file();
    const int number = file.get();
    file.reset();
    EXPECT_FALSE(file.open());
    EXPECT_FALSE(is_open(number));
}

}  // namespace
}  // namespace turnstile::support
