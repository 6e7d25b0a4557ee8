// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/client_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(watch_book, keeps_nothing_of_watches_that_are_wanted) {
    watch_book book;
    book.asked("/a");
    EXPECT_FALSE(book.answered("/a"));
    EXPECT_TRUE(book.empty());
}

TEST(watch_book, removes_at_once_what_is_not_under_way) {
    watch_book book;
    EXPECT_TRUE(book.forgotten("/a"));
    book.removed("/a");
    EXPECT_TRUE(book.empty());
}

TEST(watch_book, removes_after_the_last_reply) {
    watch_book book;
    book.asked("/a");
    book.asked("/a");
    EXPECT_FALSE(book.forgotten("/a"));
    EXPECT_FALSE(book.answered("/a"));
    EXPECT_THAT(book.left_over(), IsEmpty());
    EXPECT_TRUE(book.answered("/a"));
    EXPECT_THAT(book.left_over(), ElementsAre("/a"));
    book.removed("/a");
    EXPECT_TRUE(book.empty());
}

TEST(watch_book, a_later_request_wants_the_watch_again) {
    watch_book book;
    book.asked("/a");
    EXPECT_FALSE(book.forgotten("/a"));
    book.asked("/a");
    EXPECT_FALSE(book.answered("/a"));
    EXPECT_FALSE(book.answered("/a"));
    EXPECT_TRUE(book.empty());
}

TEST(watch_book, a_request_during_the_removal_keeps_its_watch) {
    watch_book book;
    EXPECT_TRUE(book.forgotten("/a"));
    book.asked("/a");
    book.removed("/a");
    EXPECT_FALSE(book.answered("/a"));
    EXPECT_TRUE(book.empty());
}

TEST(watch_book, forgets_again_after_a_removal_that_was_lost) {
    watch_book book;
    EXPECT_TRUE(book.forgotten("/b"));
    EXPECT_TRUE(book.forgotten("/a"));
    EXPECT_THAT(book.left_over(), ElementsAre("/a", "/b"));
    book.removed("/a");
    EXPECT_THAT(book.left_over(), ElementsAre("/b"));
}

TEST(watch_book, ignores_replies_that_it_does_not_know) {
    watch_book book;
    EXPECT_FALSE(book.answered("/a"));
    book.removed("/a");
    EXPECT_TRUE(book.empty());
}

}  // namespace
}  // namespace turnstile::zookeeper
