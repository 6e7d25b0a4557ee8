// SPDX-License-Identifier: Apache-2.0
// contender_fixture: a contender in the folder /q. The test controls its session.
#pragma once

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/contender/contender_core.hpp"
#include "core/contender/state_queries.hpp"
#include "unit/support/contender_stage.hpp"

namespace turnstile::test {

class contender_fixture : public ::testing::Test {
protected:
    using names = std::vector<std::string>;
    static constexpr std::int64_t k_czxid = 0x500000007;

    explicit contender_fixture(core::contender_settings settings = {"/q", "data"})
        : lock{std::move(settings)} {}

    // ---- the servers' answers; each goes to the oldest request of its kind ----
    void create_answers(core::server_error error) { send_error<core::create_op>(error); }
    void create_answers_ok(std::int32_t sequence, std::int64_t czxid = k_czxid) {
        const auto path = session.op<core::create_op>().path;
        auto answer = session.reply_to<core::create_op>();
        answer.path = path + fmt::format("{:010d}", sequence);
        answer.stat.ephemeral_owner = session.own_session;
        answer.stat.czxid = czxid;
        own = answer.path.substr(answer.path.rfind('/') + 1);
        lock.on_reply(session.event(), answer);
    }
    void list_answers(names children) {
        auto answer = session.reply_to<core::children_op>();
        answer.children = std::move(children);
        lock.on_reply(session.event(), answer);
    }
    // Answers the oldest get request, which reads the predecessor's znode, the contender's znode, or another znode with
    // the contender's number.
    void get_answers(std::int64_t owner = 0x999, std::int64_t czxid = 1) {
        auto answer = session.reply_to<core::get_op>();
        answer.stat.ephemeral_owner = owner;
        answer.stat.czxid = czxid;
        lock.on_reply(session.event(), answer);
    }
    // Answers the request that reads the contender's own znode.
    void own_get_answers(std::int32_t version = 0, const std::string& data = "data") {
        auto answer = session.reply_to_get(lock.znode());
        answer.stat.ephemeral_owner = session.own_session;
        answer.stat.version = version;
        answer.data = data;
        lock.on_reply(session.event(), answer);
    }
    template <class Op>
    void send_error(core::server_error error) {
        auto answer = session.reply_to<Op>();
        answer.error = error;
        lock.on_reply(session.event(), answer);
    }
    template <class Op>
    void send_ok() {
        send_error<Op>(core::server_error::ok);
    }
    // Reports that the oldest request of this kind got no answer.
    template <class Op>
    void lose(core::outcome outcome = core::outcome::unknown) {
        auto answer = session.reply_to<Op>();
        answer.outcome = outcome;
        lock.on_reply(session.event(), answer);
    }

    void watch_fires(core::watch_kind kind, const std::string& path) {
        if (kind == core::watch_kind::deleted) session.watched.erase(path);
        lock.on_watch(session.event(), {kind, path, session.connection_number});
    }
    // Breaks the connection. It stays unknown whether the servers executed the requests in progress.
    void detach(core::outcome of_requests = core::outcome::unknown) {
        session.is_attached = false;
        lock.on_detached(session.event());
        for (auto& request : std::exchange(session.open, {})) {
            core::reply answer;
            answer.id = request.id;
            answer.outcome = of_requests;
            answer.connection = session.connection_number;
            lock.on_reply(session.event(), answer);
        }
    }
    void attach() {
        session.is_attached = true;
        ++session.connection_number;
        lock.on_attached(session.event());
    }
    void end_epoch() {
        session.is_attached = false;
        session.open.clear();
        session.watched.clear();
        lock.on_epoch_end(session.event(), {errc::session_lost, "expired"});
        ++session.own_session;
    }

    // ---- steps to a place in the queue ----
    static std::string other_name(std::int32_t sequence) {
        return fmt::format("_c_ffffffff-0000-4000-8000-{:012x}-lock-{:010d}",
                           static_cast<std::uint32_t>(sequence), sequence);
    }
    void enter_queue(std::int32_t sequence, names others = {}) {
        lock.start(session.event());
        create_answers_ok(sequence);
        others.push_back(own);
        list_answers(std::move(others));
    }
    // Enters with number 5 behind one contender, and watches that contender.
    void wait_for_one() {
        enter_queue(5, {other_name(4)});
        get_answers();
        ASSERT_TRUE(session.open.empty());
    }
    // Advances the clock so far that an operator may have written an unseen request to release (`ask` or `take`) into
    // the contender's znode.
    void pass_unseen() { session.clock += session.unseen; }
    // Sets the watch on the contender's znode. A session does that when it first extends the lease for a hold.
    void watch_itself() {
        lock.watch_own_znode(session.event());
        own_get_answers();
    }
    void take_lock() {
        enter_queue(0);
        ASSERT_TRUE(lock.holds());
        session.told.clear();
    }

    // Checks that the contender has ended, with no request and no watch left.
    void expect_gone() {
        EXPECT_TRUE(lock.over());
        EXPECT_NE(session.last_told<core::gone>(), nullptr);
        EXPECT_EQ(session.times_told<core::gone>(), 1U);
        EXPECT_THAT(session.watched, ::testing::IsEmpty());
        EXPECT_EQ(lock.owned_bytes(), 0U);
    }
    void expect_lost(errc code) {
        ASSERT_EQ(session.times_told<core::lost>(), 1U);
        for (const auto& event : session.told) {
            if (const auto* loss = std::get_if<core::lost>(&event)) {
                EXPECT_EQ(loss->why, code) << loss->why.message();
            }
        }
    }
    void expect_failed(errc code) {
        ASSERT_EQ(session.times_told<core::failed>(), 1U);
        for (const auto& event : session.told) {
            if (const auto* failure = std::get_if<core::failed>(&event)) {
                EXPECT_EQ(failure->why, code) << failure->why.message();
            }
        }
    }

    contender_stage session;
    core::contender_core lock;
    std::string own;  // name of the contender's znode
};

inline const error k_timed_out{errc::timeout, "too late"};

}  // namespace turnstile::test
