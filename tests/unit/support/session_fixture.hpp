// SPDX-License-Identifier: Apache-2.0
// session_fixture: a session_core on a made-up time line; the servers' part is the test's.
//
// Every action that the core takes is sorted into one of the lists below, and into `log` in order.
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
    static constexpr core::acquisition_id k_ann{1};
    static constexpr core::acquisition_id k_bob{2};
    static constexpr core::acquisition_id k_eve{3};

    static core::session_core_settings settings() {
        core::session_core_settings made;
        made.lease = {k_relay, false, 0};
        made.retry_first = 50ms;
        made.retry_longest = 5s;
        made.servers = "zk:2181";
        made.chance = base::random{1};
        return made;
    }
    explicit session_fixture(core::session_core_settings how = settings())
        : session{std::move(how)} {}

    // ---- inputs ----
    void on(const core::input& what) {
        session.on(what, now);
        sort_actions();
    }
    void on_event(core::coordinator_event what) {
        on(core::from_session{epoch(), std::move(what)});
    }
    void start() { on(core::start{}); }
    void attach(core::server_role role = core::server_role::standalone,
                core::duration timeout = k_timeout) {
        ++connection;
        on_event(link(core::link_kind::attached, role, timeout));
    }
    void start_attached(core::server_role role = core::server_role::standalone) {
        start();
        attach(role);
        log.clear();
        changes.clear();
    }
    // The connection breaks; what was under way is not known to have arrived.
    void detach() {
        on_event(link(core::link_kind::detached));
        lose_requests();
    }
    void lose_requests() {
        for (auto& one : std::exchange(open, {})) {
            auto lost = answer_to(one);
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
                                        core::server_role role = core::server_role::unknown,
                                        core::duration timeout = k_timeout) const {
        return {kind, connection, session_id, timeout, role, "zk:2181"};
    }
    void acquire(core::acquisition_id who, std::optional<core::duration> timeout = {},
                 core::duration warn_before = {}) {
        core::acquire what;
        what.who = who;
        what.settings.folder = "/q";
        if (timeout) what.deadline = now + *timeout;
        what.warn_before = warn_before;
        on(what);
    }
    void leave(core::acquisition_id who) { on(core::leave{who}); }
    void watch_fires(core::watch_kind kind, const std::string& path) {
        on_event(core::watch_event{kind, path, connection});
    }

    // ---- time ----
    // Goes on to `then`, with every timer on the way.
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
    // The same, with every confirmation and keep-alive answered at once.
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
        return static_cast<std::size_t>(std::count_if(open.begin(), open.end(), [](auto& one) {
            return std::holds_alternative<Op>(one.what.op);
        }));
    }
    // The oldest unanswered request of this kind; there must be one.
    template <class Op>
    [[nodiscard]] Op op() const {
        for (const auto& one : open)
            if (const auto* found = std::get_if<Op>(&one.what.op)) return *found;
        ADD_FAILURE() << "no such request";
        return {};
    }
    template <class Op>
    [[nodiscard]] core::reply reply_to() {
        for (auto at = open.begin(); at != open.end(); ++at) {
            if (!std::holds_alternative<Op>(at->what.op)) continue;
            auto answer = answer_to(*at);
            open.erase(at);
            return answer;
        }
        ADD_FAILURE() << "no such request";
        return {};
    }
    template <class Op>
    void answer(core::server_error error = core::server_error::ok) {
        auto made = reply_to<Op>();
        made.error = error;
        on_event(std::move(made));
    }
    void answer_all_ok() {
        while (!open.empty()) {
            auto made = answer_to(open.front());
            open.erase(open.begin());
            on_event(std::move(made));
        }
    }
    // The create's, and the list's with `others` in it. Returns the znode's path.
    std::string answer_create_and_list(std::int32_t sequence, names others = {}) {
        const auto path = op<core::create_op>().path + fmt::format("{:010d}", sequence);
        auto made = reply_to<core::create_op>();
        made.path = path;
        made.stat.ephemeral_owner = session_id;
        made.stat.czxid = 100 + sequence;
        on_event(std::move(made));
        others.push_back(name_of(path));
        auto listed = reply_to<core::children_op>();
        listed.children = std::move(others);
        on_event(std::move(listed));
        return path;
    }
    std::string take_lock(core::acquisition_id who, std::int32_t sequence = 0) {
        acquire(who);
        auto path = answer_create_and_list(sequence);
        EXPECT_EQ(told<core::granted>(who), 1U);
        return path;
    }
    static std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
    // A contender of another session.
    static std::string stranger(std::int32_t sequence) {
        return fmt::format("_c_ffffffff-0000-4000-8000-000000000000-lock-{:010d}", sequence);
    }

    // ---- what was told ----
    template <class T>
    [[nodiscard]] std::size_t told(core::acquisition_id who) const {
        return static_cast<std::size_t>(
            std::count_if(notices.begin(), notices.end(), [who](const auto& one) {
                return one.id == who && std::holds_alternative<T>(one.event);
            }));
    }
    template <class T>
    [[nodiscard]] errc why(core::acquisition_id who) const {
        for (const auto& one : notices)
            if (const auto* found = std::get_if<T>(&one.event); found && one.id == who)
                return found->why.code();
        return {};
    }
    [[nodiscard]] std::vector<session_state> states() const {
        std::vector<session_state> made;
        for (const auto& one : changes) made.push_back(one.step.to);
        return made;
    }
    [[nodiscard]] std::uint64_t epoch() const { return session.epoch(); }

    struct sent_request {
        core::request what;
        core::time_point sent;
        std::uint64_t connection;
    };

    core::session_core session;
    core::time_point now = at(0s);
    std::uint64_t connection = 0;
    std::int64_t session_id = k_session;

    std::vector<core::action> log;
    std::vector<sent_request> open;  // requests without an answer
    std::vector<std::string> forgotten;
    std::vector<std::uint64_t> opened;  // epochs
    std::vector<core::close_session::how> closed;
    std::vector<core::notice> notices;
    std::vector<core::answer> answers;
    std::vector<core::commit_answer> commits;
    std::vector<core::changed> changes;
    std::vector<std::string> warnings;

private:
    static core::reply answer_to(const sent_request& one) {
        core::reply made;
        made.id = one.what.id;
        made.outcome = core::outcome::answered;
        made.connection = one.connection;
        made.sent = one.sent;
        return made;
    }
    void sort_actions() {
        for (auto& one : session.take()) {
            log.push_back(one);
            std::visit([this](auto& what) { sort(what); }, one);
        }
    }
    void sort(core::submit& one) { open.push_back({std::move(one.what), now, connection}); }
    void sort(core::forget_watches& one) { forgotten.push_back(std::move(one.path)); }
    void sort(core::open_session& one) { opened.push_back(one.epoch); }
    void sort(core::close_session& one) { closed.push_back(one.manner); }
    void sort(core::notice& one) { notices.push_back(std::move(one)); }
    void sort(core::answer& one) { answers.push_back(std::move(one)); }
    void sort(core::commit_answer& one) { commits.push_back(std::move(one)); }
    void sort(core::changed& one) { changes.push_back(std::move(one)); }
    void sort(core::warning& one) { warnings.push_back(std::move(one.text)); }
};

}  // namespace turnstile::test
