// SPDX-License-Identifier: Apache-2.0
// A session with the C client, whose connection goes through a proxy to a real server.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "session_recorder.hpp"
#include "turnstile/error.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/session_fault.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace turnstile::tests::zookeeper_seam {

using namespace core;
using testing::direction;
using ::testing::ElementsAre;
using testing::ensemble;
using testing::eventually;
using testing::frame;
using testing::frame_kind;
using ::testing::IsEmpty;
using testing::tcp_proxy;
using testing::verdict;
namespace opcode = testing::opcode;

inline ensemble& servers() {
    static ensemble instance;
    return instance;
}

class zookeeper_session : public ::testing::Test {
protected:
    // The tests count watches, so the sessions of the previous test must have ended at the server.
    void SetUp() override {
        ASSERT_TRUE(eventually([] { return server_watches() == 0; }));
    }
    [[nodiscard]] static std::string path() {
        return std::string{"/"} + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    }
    [[nodiscard]] static std::int64_t server_watches() {
        return servers().counters(0).at("watch_count");
    }
    // Cuts the connection in place of the next reply to `op`.
    void lose_reply(std::int32_t op) {
        proxy_.filter(direction::to_client, [op](frame& f) {
            return f.is(frame_kind::reply, op) ? verdict::cut_connection : verdict::forward;
        });
    }
    void hold_replies(std::int32_t op) {
        proxy_.filter(direction::to_client, [op](frame& f) {
            return f.is(frame_kind::reply, op) ? verdict::hold : verdict::forward;
        });
    }
    void lose_nothing() { proxy_.filter(direction::to_client, {}); }

    tcp_proxy proxy_{servers().connect_string(0)};
};

}  // namespace turnstile::tests::zookeeper_seam
