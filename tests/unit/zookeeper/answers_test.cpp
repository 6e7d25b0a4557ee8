// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/answers.hpp"

#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

using core::outcome;
using core::server_error;

TEST(answers, what_the_servers_said_is_answered) {
    const auto error = [](int rc) {
        EXPECT_EQ(judge_completion(rc).outcome, outcome::answered) << rc;
        return judge_completion(rc).error;
    };
    EXPECT_EQ(error(ZOK), server_error::ok);
    EXPECT_EQ(error(ZNONODE), server_error::no_node);
    EXPECT_EQ(error(ZNODEEXISTS), server_error::node_exists);
    EXPECT_EQ(error(ZNOTEMPTY), server_error::not_empty);
    EXPECT_EQ(error(ZBADVERSION), server_error::bad_version);
    EXPECT_EQ(error(ZNOAUTH), server_error::no_auth);
    EXPECT_EQ(error(ZINVALIDACL), server_error::invalid_acl);
    EXPECT_EQ(error(ZNOCHILDRENFOREPHEMERALS), server_error::no_children_for_ephemerals);
    EXPECT_EQ(error(ZBADARGUMENTS), server_error::bad_arguments);
    EXPECT_EQ(error(ZUNIMPLEMENTED), server_error::unimplemented);
    EXPECT_EQ(error(ZNOTREADONLY), server_error::not_read_only);
    EXPECT_EQ(error(ZSESSIONMOVED), server_error::session_moved);
    EXPECT_EQ(error(ZTHROTTLEDOP), server_error::throttled);
    // -125 is KeeperException.Code.QUOTAEXCEEDED.
    EXPECT_EQ(error(-125), server_error::quota_exceeded);
    EXPECT_EQ(error(ZEPHEMERALONLOCALSESSION), server_error::local_session);
    EXPECT_EQ(error(-999), server_error::other);
}

TEST(answers, what_the_client_makes_up_is_unknown) {
    for (const int rc :
         {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZCLOSING, ZSYSTEMERROR, ZRUNTIMEINCONSISTENCY,
          ZDATAINCONSISTENCY, ZMARSHALLINGERROR, ZINVALIDSTATE, ZSESSIONEXPIRED, ZAUTHFAILED}) {
        EXPECT_EQ(judge_completion(rc).outcome, outcome::unknown) << rc;
    }
}

TEST(answers, a_call_that_fails_sent_nothing) {
    EXPECT_EQ(judge_call(ZINVALIDSTATE), (judged_code{outcome::not_sent, server_error::ok}));
    EXPECT_EQ(judge_call(ZBADARGUMENTS),
              (judged_code{outcome::answered, server_error::bad_arguments}));
    EXPECT_EQ(judge_call(ZUNIMPLEMENTED),
              (judged_code{outcome::answered, server_error::unimplemented}));
    EXPECT_EQ(judge_call(ZMARSHALLINGERROR), (judged_code{outcome::answered, server_error::other}));
}

TEST(answers, parts_of_a_multi_may_be_rolled_back) {
    EXPECT_EQ(judge_part(ZRUNTIMEINCONSISTENCY), server_error::rolled_back);
    EXPECT_EQ(judge_part(ZOK), server_error::ok);
    EXPECT_EQ(judge_part(-125), server_error::quota_exceeded);
}

TEST(answers, session_events_are_no_watches) {
    EXPECT_EQ(to_watch_kind(ZOO_SESSION_EVENT), std::nullopt);
    EXPECT_EQ(to_watch_kind(ZOO_NOTWATCHING_EVENT), std::nullopt);
    EXPECT_EQ(to_watch_kind(ZOO_DELETED_EVENT), core::watch_kind::deleted);
}

}  // namespace
}  // namespace turnstile::zookeeper
