// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_knowledge.hpp"

#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

class request_knowledge_of_servers : public ::testing::Test {
protected:
    const int ann = 0;
    const int bob = 0;
    request_knowledge request;
};

TEST_F(request_knowledge_of_servers, begins_open) {
    EXPECT_FALSE(request.is_refused());
    EXPECT_FALSE(request.is_doubted());
}

TEST_F(request_knowledge_of_servers, is_refused_once_it_is_unimplemented) {
    request.refused();
    EXPECT_TRUE(request.is_refused());
    for (std::uint64_t connection = 1; connection != 10; ++connection)
        request.cut_off(&ann, connection);
    EXPECT_TRUE(request.is_refused());
}

TEST_F(request_knowledge_of_servers, is_doubted_when_three_connections_ended_at_it) {
    request.cut_off(&ann, 4);
    request.cut_off(&ann, 5);
    EXPECT_FALSE(request.is_doubted());
    request.cut_off(&ann, 6);
    EXPECT_TRUE(request.is_doubted());
}

TEST_F(request_knowledge_of_servers, counts_the_connections_of_all_sessions) {
    request.cut_off(&ann, 1);
    request.cut_off(&bob, 1);
    request.cut_off(&ann, 2);
    EXPECT_TRUE(request.is_doubted());
}

TEST_F(request_knowledge_of_servers, counts_a_connection_once_for_all_that_it_lost) {
    for (int i = 0; i != 10; ++i) request.cut_off(&ann, 1);
    EXPECT_FALSE(request.is_doubted());
}

TEST_F(request_knowledge_of_servers, counts_from_the_start_behind_an_answer) {
    request.cut_off(&ann, 1);
    request.cut_off(&ann, 2);
    request.answered();
    request.cut_off(&ann, 3);
    EXPECT_FALSE(request.is_doubted());
}

TEST_F(request_knowledge_of_servers, that_was_answered_is_not_doubted_where_connections_end) {
    request.answered();
    for (std::uint64_t connection = 1; connection != 10; ++connection)
        request.cut_off(&ann, connection);
    EXPECT_FALSE(request.is_doubted());
}

TEST_F(request_knowledge_of_servers, is_known_by_a_late_answer) {
    for (std::uint64_t connection = 1; connection != 10; ++connection)
        request.cut_off(&ann, connection);
    request.answered();
    EXPECT_FALSE(request.is_doubted());
}

// The servers of an ensemble may have different versions.
TEST_F(request_knowledge_of_servers, is_refused_where_another_server_refuses_it) {
    request.answered();
    request.refused();
    EXPECT_TRUE(request.is_refused());
}

}  // namespace
}  // namespace turnstile::zookeeper
