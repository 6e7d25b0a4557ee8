// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of guarded writes: a session that records requests, and the commits of one hold in that session.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/contender/guarded_write.hpp"

namespace turnstile::core {

// This text is longer than a std::string's internal buffer, so that a sanitizer detects a use after destruction.
inline const std::string k_znode = "/queue/_c_5e8b6a7c-own-lock-0000000007";
inline const std::string k_data = "data";
inline constexpr commit_id k_one{1};
inline constexpr commit_id k_two{2};

class fake_session {
public:
    bool is_attached = true;
    std::uint64_t number = 1;
    std::vector<request> open;
    std::int32_t version = 0;
    std::map<commit_id, commit_outcome> told;
    int pauses = 0;

    std::int32_t known = 5;  // the version of its znode that the hold knows
    bool settled = true;
    bool lost_by_applying = false;

    [[nodiscard]] session_view view() const { return {is_attached, number}; }
    // Calls `event(guarded_writes&, effects&)`, executes the effects, and continues `writes`.
    template <class F>
    void with(guarded_writes& writes, F&& event) {
        guarded_writes::effects wanted;
        event(writes, wanted);
        carry_out(writes, std::move(wanted));
        if (!writes.waits(view())) return;
        guarded_writes::effects next;
        writes.proceed({k_znode, k_data, known, settled}, tickets_, next);
        carry_out(writes, std::move(next));
    }
    void tell(write_effects::tell_outcome&& news) {
        EXPECT_TRUE(told.emplace(news.commit, std::move(news.outcome)).second) << "told twice";
    }
    [[nodiscard]] errc why(commit_id id) const {
        const auto found = told.find(id);
        if (found == told.end()) return {};
        const auto* failure = std::get_if<error>(&found->second);
        return failure == nullptr ? errc{} : failure->code();
    }
    [[nodiscard]] bool succeeded(commit_id id) const {
        const auto found = told.find(id);
        return found != told.end() && std::holds_alternative<committed>(found->second);
    }

private:
    void carry_out(guarded_writes& writes, guarded_writes::effects&& wanted) {
        for (auto& each : wanted)
            std::visit([&](auto& effect) { carry_out(writes, std::move(effect)); }, each);
    }
    void carry_out(guarded_writes& /*writes*/, write_effects::submit_for_commits&& effect) {
        EXPECT_TRUE(is_attached);
        open.push_back(std::move(effect.request));
    }
    void carry_out(guarded_writes& /*writes*/, write_effects::retry_commits_later&& /*effect*/) {
        ++pauses;
    }
    void carry_out(guarded_writes& /*writes*/, write_effects::version_became&& effect) {
        version = effect.version;
        if (version != k_any_version) known = version;
    }
    void carry_out(guarded_writes& writes, write_effects::apply&& effect) {
        known = effect.answer.stat.version;
        if (!lost_by_applying) return;
        guarded_writes::effects told_of_loss;
        writes.on_hold_over(errc::revoked, told_of_loss);
        carry_out(writes, std::move(told_of_loss));
    }
    void carry_out(guarded_writes& /*writes*/, write_effects::tell_outcome&& effect) {
        tell(std::move(effect));
    }

    ticket_counter tickets_;
};

class guarded_write : public ::testing::Test {
protected:
    static constexpr std::int32_t k_version = 5;
    fake_session session;
    guarded_writes writes;
    const set_op part{"/counter", "7", 3};

    using effects = guarded_writes::effects;

    void add(commit_id id, std::vector<write_part> parts, std::vector<std::string> standing = {}) {
        session.with(writes, [&](guarded_writes& w, effects& out) {
            w.add(id, std::move(parts), std::move(standing), out);
        });
    }
    void add(commit_id id) { add(id, {part}); }
    void cancel(commit_id id, const error& why) {
        session.with(writes, [&](guarded_writes& w, effects& out) { w.cancel(id, why, out); });
    }
    void give(const reply& answer) {
        session.with(writes, [&](guarded_writes& w, effects& out) {
            w.on_reply(session.view(), answer, out);
        });
    }
    void proceed() {
        session.with(writes, [](guarded_writes& /*w*/, effects& /*out*/) {});
    }
    void attached() {
        session.with(writes, [](guarded_writes& w, effects& /*out*/) { w.on_attached(); });
    }
    void end_hold(const error& why) {
        session.with(writes, [&](guarded_writes& w, effects& out) { w.on_hold_over(why, out); });
    }
    void end_epoch(const error& why) {
        session.with(writes, [&](guarded_writes& w, effects& out) { w.on_epoch_end(why, out); });
    }
    [[nodiscard]] reply answer_to_first() {
        reply reply;
        reply.id = session.open.front().id;
        reply.outcome = outcome::answered;
        reply.connection = session.number;
        session.open.erase(session.open.begin());
        return reply;
    }
    void answer(server_error why, std::vector<server_error> parts = {}) {
        auto reply = answer_to_first();
        reply.error = why;
        reply.parts = std::move(parts);
        if (why == server_error::ok) reply.paths = {"", ""};
        give(reply);
    }
    void lose(outcome how = outcome::unknown) {
        auto reply = answer_to_first();
        reply.outcome = how;
        give(reply);
    }
    void reattach() {
        ++session.number;
        session.is_attached = true;
        attached();
    }
    // Breaks the connection during the request, and starts the next connection.
    void lose_and_reattach() {
        session.is_attached = false;
        lose();
        reattach();
    }
    void answer_read(std::int32_t version, const std::string& data = k_data) {
        auto reply = answer_to_first();
        reply.stat.version = version;
        reply.data = data;
        give(reply);
    }
    // Answers the two requests that find out the outcome of a commit with a lost answer. First comes a write after
    // which that commit cannot succeed, and then a read.
    void answer_resolution(server_error fence, std::int32_t version,
                           const std::string& data = k_data) {
        answer(fence);
        answer_read(version, data);
    }
    [[nodiscard]] operation first() const { return session.open.front().op; }
    [[nodiscard]] operation expected(std::int32_t version) const {
        return multi_op{{set_op{k_znode, k_data, version}, part}};
    }
    [[nodiscard]] static operation fence(std::int32_t version) {
        return multi_op{{set_op{k_znode, k_data, version}, set_op{k_znode, k_data, version + 1}}};
    }
};

}  // namespace turnstile::core
