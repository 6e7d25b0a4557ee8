// SPDX-License-Identifier: Apache-2.0
// session_fixture: contains a session_core. The test sets the time and acts as the servers.
//
// The fixture records each action of the core in one of the lists below, and in `log`.
#pragma once

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/session/session_core.hpp"
#include "unit/support/times.hpp"

namespace turnstile::test {

using namespace std::chrono_literals;

class session_fixture : public ::testing::Test {
protected:
    using names = std::vector<std::string>;
    static constexpr core::duration k_timeout = 30s;
    static constexpr core::duration k_relay = 12s;
    static constexpr std::int64_t k_session = 0x100;
    static constexpr core::contender_id k_ann{1};
    static constexpr core::contender_id k_bob{2};
    static constexpr core::contender_id k_eve{3};
    static constexpr core::inquiry_id k_question{4};
    static constexpr core::inquiry_id k_further_question{5};

    static core::session_core_settings settings() {
        core::session_core_settings result;
        result.lease = {k_relay, false, 0};
        result.retry_first = 50ms;
        result.retry_longest = 5s;
        result.servers = "zk:2181";
        result.chance = base::random{1};
        return result;
    }
    explicit session_fixture(core::session_core_settings how = settings())
        : session{std::move(how)} {}

    // ---- inputs ----
    void on(const core::input& input) {
        session.on(input, now);
        sort_actions();
    }
    void on_event(core::coordinator_event event) {
        on(core::from_session{epoch(), std::move(event)});
    }
    void start() { on(core::start{}); }
    void attach(server_role role = server_role::standalone, core::duration timeout = k_timeout) {
        ++connection;
        on_event(link(core::link_kind::attached, role, timeout));
    }
    void start_attached(server_role role = server_role::standalone) {
        start();
        attach(role);
        log.clear();
        changes.clear();
    }
    // Breaks the connection. It stays unknown whether the servers executed the requests in progress.
    void detach() {
        on_event(link(core::link_kind::detached));
        lose_requests();
    }
    void lose_requests() {
        for (auto& entry : std::exchange(open, {})) {
            auto lost = answer_to(entry);
            lost.outcome = core::outcome::unknown;
            on_event(std::move(lost));
        }
    }
    void expire() {
        on_event(link(core::link_kind::expired));
        open.clear();
        connection = 0;
        session_id += 1;
    }
    [[nodiscard]] core::link_event link(core::link_kind kind,
                                        server_role role = server_role::unknown,
                                        core::duration timeout = k_timeout) const {
        return {kind, connection, session_id, timeout, role, "zk:2181"};
    }
    void acquire(core::contender_id id, std::optional<core::duration> timeout = {},
                 core::duration warn_before = {}) {
        core::acquire request;
        request.id = id;
        request.settings.folder = "/q";
        if (timeout) request.deadline = now + *timeout;
        request.warn_before = warn_before;
        on(request);
    }
    void leave(core::contender_id id) { on(core::leave{id}); }
    void watch_fires(core::watch_kind kind, const std::string& path) {
        on_event(core::watch_event{kind, path, connection});
    }

    // ---- time ----
    // Advances the time to `then`, and runs each timer that is due.
    void pass_until(core::time_point then) {
        constexpr int k_most_timers = 10'000;
        for (int i = 0; session.next_deadline() && *session.next_deadline() <= then; ++i) {
            ASSERT_LT(i, k_most_timers) << "a timer that comes back at once";
            now = std::max(now, *session.next_deadline());
            session.on_time(now);
            sort_actions();
        }
        now = then;
    }
    void pass(core::duration time) { pass_until(now + time); }
    // Stops the process for this time. Its timers run late, when the process resumes.
    void stand_still(core::duration time) {
        now += time;
        session.on_time(now);
        sort_actions();
    }
    // Advances the time. Answers at once each request by which the session keeps its lease or stays open.
    void pass_answered(core::duration time) {
        const auto then = now + time;
        while (session.next_deadline() && *session.next_deadline() <= then && !HasFatalFailure()) {
            pass_until(std::max(now, *session.next_deadline()));
            answer_all_ok();
        }
        now = then;
    }

    // ---- the servers' answers ----
    template <class Op>
    [[nodiscard]] std::size_t count() const {
        return static_cast<std::size_t>(std::count_if(open.begin(), open.end(), [](auto& entry) {
            return std::holds_alternative<Op>(entry.request.op);
        }));
    }
    // Returns the oldest unanswered request of this kind. A test fails if there is none.
    template <class Op>
    [[nodiscard]] Op op() const {
        for (const auto& entry : open)
            if (const auto* found = std::get_if<Op>(&entry.request.op)) return *found;
        ADD_FAILURE() << "no such request";
        return {};
    }
    template <class Op>
    [[nodiscard]] core::reply reply_to() {
        for (auto at = open.begin(); at != open.end(); ++at) {
            if (!std::holds_alternative<Op>(at->request.op)) continue;
            auto answer = answer_to(*at);
            open.erase(at);
            return answer;
        }
        ADD_FAILURE() << "no such request";
        return {};
    }
    template <class Op>
    void answer(core::server_error error = core::server_error::ok) {
        auto reply = reply_to<Op>();
        reply.error = error;
        on_event(std::move(reply));
    }
    void answer_all_ok() {
        while (!open.empty()) {
            auto reply = answer_to(open.front());
            open.erase(open.begin());
            on_event(std::move(reply));
        }
    }
    // Answers the request to create a znode. Then answers the request for the children with `others` and the new znode.
    // Returns the znode's path.
    std::string answer_create_and_list(std::int32_t sequence, names others = {}) {
        const auto path = op<core::create_op>().path + fmt::format("{:010d}", sequence);
        auto reply = reply_to<core::create_op>();
        reply.path = path;
        reply.stat.ephemeral_owner = session_id;
        reply.stat.czxid = 100 + sequence;
        on_event(std::move(reply));
        others.push_back(name_of(path));
        auto listed = reply_to<core::children_op>();
        listed.children = std::move(others);
        on_event(std::move(listed));
        return path;
    }
    std::string take_lock(core::contender_id id, std::int32_t sequence = 0) {
        acquire(id);
        auto path = answer_create_and_list(sequence);
        EXPECT_EQ(told<core::granted>(id), 1U);
        return path;
    }
    static std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
    // Returns the name of another session's contender with this number.
    static std::string stranger(std::int32_t sequence) {
        return fmt::format("_c_ffffffff-0000-4000-8000-000000000000-lock-{:010d}", sequence);
    }

    // ---- notices that the core gave ----
    template <class T>
    [[nodiscard]] std::size_t told(core::contender_id id) const {
        return static_cast<std::size_t>(
            std::count_if(notices.begin(), notices.end(), [id](const auto& entry) {
                return entry.id == id && std::holds_alternative<T>(entry.event);
            }));
    }
    template <class T>
    [[nodiscard]] errc why(core::contender_id id) const {
        for (const auto& notice : notices)
            if (const auto* found = std::get_if<T>(&notice.event); found && notice.id == id)
                return found->why.code();
        return {};
    }
    [[nodiscard]] std::vector<session_state> states() const {
        std::vector<session_state> states;
        for (const auto& change : changes) states.push_back(change.step.to);
        return states;
    }
    [[nodiscard]] std::uint64_t epoch() const { return session.epoch(); }

    struct sent_request {
        core::request request;
        core::time_point sent;
        std::uint64_t connection;
    };
    static core::reply answer_to(const sent_request& entry) {
        core::reply reply;
        reply.id = entry.request.id;
        reply.outcome = core::outcome::answered;
        reply.connection = entry.connection;
        reply.sent = entry.sent;
        return reply;
    }

    core::session_core session;
    core::time_point now = at(0s);
    std::uint64_t connection = 0;
    std::int64_t session_id = k_session;

    std::vector<core::action> log;
    std::vector<sent_request> open;  // requests without an answer
    std::vector<std::string> forgotten;
    // Connections from which the session searched for the leader.
    std::vector<std::uint64_t> sought;
    std::vector<core::look_elsewhere> looks;  // searches for another server
    std::vector<std::uint64_t> left;          // connections that the session left
    std::vector<std::uint64_t> opened;        // the numbers (epochs) of the opened sessions
    std::vector<core::close_session::how> closed;
    std::vector<core::notice> notices;
    std::vector<core::answer> answers;
    std::vector<core::commit_answer> commits;
    std::vector<core::changed> changes;
    std::vector<std::string> warnings;

private:
    void sort_actions() {
        for (auto& action : session.take()) {
            log.push_back(action);
            std::visit([this](auto& alternative) { sort(alternative); }, action);
        }
    }
    void sort(core::submit& submission) {
        open.push_back({std::move(submission.request), now, connection});
    }
    void sort(core::forget_watches& order) { forgotten.push_back(std::move(order.path)); }
    void sort(core::seek_leader& order) { sought.push_back(order.connection); }
    void sort(core::look_elsewhere& wanted) { looks.push_back(wanted); }
    void sort(core::leave_server& order) { left.push_back(order.connection); }
    void sort(core::open_session& opening) { opened.push_back(opening.epoch); }
    void sort(core::close_session& closing) { closed.push_back(closing.manner); }
    void sort(core::notice& notice) { notices.push_back(std::move(notice)); }
    void sort(core::answer& answer) { answers.push_back(std::move(answer)); }
    void sort(core::commit_answer& answer) { commits.push_back(std::move(answer)); }
    void sort(core::changed& change) { changes.push_back(std::move(change)); }
    void sort(core::warning& warning) { warnings.push_back(std::move(warning.text)); }
};

}  // namespace turnstile::test
