// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/outstanding_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class recorder final : public core::session_sink {
public:
    void deliver(core::coordinator_event&& event) noexcept override {
        told.push_back(std::get<core::reply>(event).path);
    }
    std::vector<std::string> told;
};

class arrivals : public ::testing::Test {
protected:
    static core::coordinator_event reply_at(std::string path) {
        core::reply reply;
        reply.path = std::move(path);
        return reply;
    }
    std::vector<std::string> take_all() {
        line.deliver_complete();
        return std::exchange(sink.told, {});
    }

    recorder sink;
    ordered_outlet line{sink};
    outstanding_request first;
    outstanding_request second;
};

TEST_F(arrivals, behind_an_incomplete_reply_wait_for_it) {
    line.expect(first);
    line.deliver(reply_at("list"));
    EXPECT_THAT(take_all(), IsEmpty());
    EXPECT_TRUE(line.complete(first, reply_at("create")));
    EXPECT_THAT(take_all(), ElementsAre("create", "list"));
}

TEST_F(arrivals, between_two_incomplete_replies_are_told_when_the_first_is_complete) {
    line.expect(first);
    line.deliver(reply_at("a"));
    line.expect(second);
    line.deliver(reply_at("b"));
    EXPECT_TRUE(line.complete(first, reply_at("1")));
    EXPECT_THAT(take_all(), ElementsAre("1", "a"));
    EXPECT_TRUE(line.complete(second, reply_at("2")));
    EXPECT_THAT(take_all(), ElementsAre("2", "b"));
}

TEST_F(arrivals, keep_their_order_where_a_later_reply_is_complete_first) {
    line.expect(first);
    line.expect(second);
    EXPECT_TRUE(line.complete(second, reply_at("2")));
    EXPECT_THAT(take_all(), IsEmpty());
    EXPECT_TRUE(line.complete(first, reply_at("1")));
    EXPECT_THAT(take_all(), ElementsAre("1", "2"));
}

TEST_F(arrivals, have_one_place_for_a_reply) {
    line.expect(first);
    line.deliver(reply_at("a"));
    line.expect(first);
    EXPECT_TRUE(line.complete(first, reply_at("1")));
    EXPECT_THAT(take_all(), ElementsAre("1", "a"));
}

TEST_F(arrivals, are_told_with_what_comes_of_the_incomplete_ones_at_the_end) {
    line.expect(first);
    line.deliver(reply_at("a"));
    line.expect(second);
    line.deliver(reply_at("end"));
    line.give_up_incomplete();
    EXPECT_THAT(take_all(), ElementsAre("", "a", "", "end"));
    EXPECT_EQ(first.why, outstanding_request::purpose::witness);
}

TEST_F(arrivals, are_told_to_no_closed_user) {
    line.expect(first);
    line.close();
    EXPECT_TRUE(line.complete(first, reply_at("1")));
    EXPECT_THAT(take_all(), IsEmpty());
}

TEST_F(arrivals, have_no_place_for_the_replies_of_others) {
    line.expect(first);
    core::coordinator_event reply = reply_at("2");
    EXPECT_FALSE(line.complete(second, std::move(reply)));
    EXPECT_EQ(std::get<core::reply>(reply).path, "2");
    EXPECT_TRUE(line.complete(first, reply_at("1")));
    EXPECT_FALSE(line.complete(first, reply_at("1")));
}

}  // namespace
}  // namespace turnstile::zookeeper
