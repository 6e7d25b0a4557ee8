// SPDX-License-Identifier: Apache-2.0
// What the tests of guarded writes share: a session that keeps what it is asked, and a hold's commits in it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/contender/guarded_write.hpp"

namespace turnstile::core {

// Longer than what a string has room for in itself: what has gone with a state is not there any more.
inline const std::string k_znode = "/queue/_c_5e8b6a7c-own-lock-0000000007";
inline const std::string k_data = "data";
inline constexpr acquisition_id k_one{1};
inline constexpr acquisition_id k_two{2};

class fake_session final : public write_context {
public:
    bool is_attached = true;
    std::uint64_t number = 1;
    std::vector<request> open;
    std::int32_t version = 0;
    std::map<acquisition_id, commit_outcome> told;
    int pauses = 0;

    std::int32_t known = 5;  // the hold's idea of the version
    bool settled = true;
    guarded_writes* lost_by_applying = nullptr;

    [[nodiscard]] own_znode own() const override { return {k_znode, k_data, known, settled}; }
    [[nodiscard]] bool attached() const override { return is_attached; }
    [[nodiscard]] std::uint64_t connection() const override { return number; }
    ticket submit(operation&& op) override {
        EXPECT_TRUE(is_attached);
        open.push_back({ticket{++last_}, std::move(op)});
        return open.back().id;
    }
    void retry_later() override { ++pauses; }
    void version_became(std::int32_t now) override {
        version = now;
        if (now != k_any_version) known = now;
    }
    void apply(const reply& answer) override {
        known = answer.stat.version;
        if (lost_by_applying != nullptr) lost_by_applying->on_hold_over(*this, errc::revoked);
    }
    void tell(acquisition_id id, commit_outcome&& answer) override {
        EXPECT_TRUE(told.emplace(id, std::move(answer)).second) << "told twice";
    }
    [[nodiscard]] errc why(acquisition_id id) const {
        const auto found = told.find(id);
        if (found == told.end()) return {};
        const auto* failure = std::get_if<error>(&found->second);
        return failure == nullptr ? errc{} : failure->code();
    }
    [[nodiscard]] bool succeeded(acquisition_id id) const {
        const auto found = told.find(id);
        return found != told.end() && std::holds_alternative<committed>(found->second);
    }

private:
    std::uint64_t last_ = 0;
};

class guarded_write : public ::testing::Test {
protected:
    static constexpr std::int32_t k_version = 5;
    fake_session session;
    guarded_writes writes;
    const set_op part{"/counter", "7", 3};

    void add(acquisition_id id) { writes.add(session, id, {part}); }
    // The oldest open request.
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
        writes.on_reply(session, reply);
    }
    void lose(outcome how = outcome::unknown) {
        auto reply = answer_to_first();
        reply.outcome = how;
        writes.on_reply(session, reply);
    }
    void reattach() {
        ++session.number;
        session.is_attached = true;
        writes.on_attached(session);
    }
    // The answer is lost with the connection, and the next one is there.
    void lose_and_reattach() {
        session.is_attached = false;
        lose();
        reattach();
    }
    void answer_read(std::int32_t version, const std::string& data = k_data) {
        auto reply = answer_to_first();
        reply.stat.version = version;
        reply.data = data;
        writes.on_reply(session, reply);
    }
    // Of a resolution: the fence's answer, whatever it is, and the read's.
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
