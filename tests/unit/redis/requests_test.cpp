// SPDX-License-Identifier: Apache-2.0
// Tests answers that no honest server sends. The client refuses them or limits their size.
#include "redis/requests.hpp"
#include "redis/reply_bound.hpp"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <memory>
#include <string>

#include "redis/line.hpp"
#include "redis/master_search.hpp"

namespace turnstile::redis {
namespace {

struct reader_end {
    void operator()(redisReader* reader) const noexcept { ::redisReaderFree(reader); }
};

owned_reply reply_of(const std::string& bytes) {
    const std::unique_ptr<redisReader, reader_end> reader{::redisReaderCreate()};
    ::redisReaderFeed(reader.get(), bytes.data(), bytes.size());
    void* reply = nullptr;
    ::redisReaderGetReply(reader.get(), &reply);
    return owned_reply{static_cast<redisReply*>(reply)};
}

TEST(redis_answers, a_deadline_that_is_far_away_is_a_day_away) {
    const auto far = reply_of("*4\r\n:0\r\n:7\r\n:9223372036854775807\r\n$0\r\n\r\n");
    ASSERT_TRUE(far);
    const auto head = parse_head(*far);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->until_next, std::chrono::hours{24});
}

TEST(redis_answers, a_transaction_has_an_answer_to_each_part) {
    const core::multi_op asked{{core::remove_op{"/a"}, core::remove_op{"/b"}}};
    const auto begin = std::string{"*5\r\n:4\r\n:7\r\n:-1\r\n$0\r\n\r\n"};
    constexpr int k_not_empty = static_cast<int>(core::server_error::not_empty);
    core::reply out;
    const auto two = reply_of(begin + "*2\r\n:0\r\n:3\r\n");
    ASSERT_TRUE(two);
    EXPECT_TRUE(parse_reply(asked, k_not_empty, *two, out));
    const auto three = reply_of(begin + "*3\r\n:0\r\n:0\r\n:3\r\n");
    ASSERT_TRUE(three);
    EXPECT_FALSE(parse_reply(asked, k_not_empty, *three, out));
}

TEST(redis_answers, data_have_no_negative_length) {
    const std::string record(64, '\0');
    core::reply out;
    for (const char* const length : {":-1", ":4294967296"}) {
        const auto answer = reply_of("*6\r\n:0\r\n:7\r\n:-1\r\n$0\r\n\r\n$64\r\n" + record +
                                     "\r\n" + length + "\r\n");
        ASSERT_TRUE(answer);
        EXPECT_FALSE(parse_reply(core::exists_op{"/a"}, 0, *answer, out)) << length;
    }
}

TEST(redis_answers, a_master_is_where_a_host_can_be) {
    EXPECT_EQ(master_in(*reply_of("*2\r\n$3\r\n::1\r\n$4\r\n6379\r\n")),
              (server_address{"::1", 6379}));
    for (const char* const odd :
         {"*2\r\n$2\r\n\x1bm\r\n$4\r\n6379\r\n", "*2\r\n$1\r\nh\r\n$1\r\n0\r\n",
          "*2\r\n$0\r\n\r\n$4\r\n6379\r\n", "*-1\r\n", ":1\r\n"})
        EXPECT_FALSE(master_in(*reply_of(odd))) << odd;
}

// hiredis allocates an array when it has read the array's length, before the elements arrive.
TEST(redis_answers, arrays_of_one_reply_have_a_bound_together) {
    redisReader* const parser = ::redisReaderCreate();
    reply_bound bound{*parser};
    const std::unique_ptr<redisReader, reader_end> reader{parser};
    const auto read = [&](const std::string& bytes) {
        bound.allow(6 * sizeof(void*));
        void* reply = nullptr;
        ::redisReaderFeed(reader.get(), bytes.data(), bytes.size());
        const bool good = ::redisReaderGetReply(reader.get(), &reply) == REDIS_OK;
        return good && owned_reply{static_cast<redisReply*>(reply)};
    };
    EXPECT_TRUE(read("*2\r\n*2\r\n:1\r\n:2\r\n*2\r\n:3\r\n:4\r\n"));
    EXPECT_TRUE(read("*6\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n:6\r\n"));
    EXPECT_FALSE(bound.is_exceeded());
    EXPECT_FALSE(read("*2\r\n*2\r\n:1\r\n:2\r\n*1860184272\r\n"));
    EXPECT_TRUE(bound.is_exceeded());
}

}  // namespace
}  // namespace turnstile::redis
