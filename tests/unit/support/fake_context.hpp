// SPDX-License-Identifier: Apache-2.0
// fake_context: an acquisition's session, played by a test.
//
// Records what an acquisition asks for and says. The servers' answers are the test's to give: `reply_to`
// finds the latest unanswered request of a kind and makes an answer to it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/contender/acquisition.hpp"

namespace turnstile::test {

class fake_context final : public core::acquisition_context {
public:
    using told_value = decltype(core::notice::event);

    // ---- what the acquisition sees ----
    bool is_attached = true;
    std::uint64_t connection_number = 1;
    std::int64_t own_session = 0x100;
    bool has_lease = true;
    bool knows_containers = true;

    [[nodiscard]] bool attached() const override { return is_attached; }
    [[nodiscard]] std::uint64_t connection() const override { return connection_number; }
    [[nodiscard]] std::int64_t session_id() const override { return own_session; }
    [[nodiscard]] bool lease_lasts() const override { return has_lease; }
    [[nodiscard]] core::acl_policy acl() const override { return core::acl_policy::open; }
    [[nodiscard]] core::create_mode parent_mode() const override {
        return knows_containers ? core::create_mode::container : core::create_mode::persistent;
    }
    void containers_unsupported() override { knows_containers = false; }
    core::time_point clock{};
    [[nodiscard]] core::time_point now() const override { return clock; }
    core::duration unseen = std::chrono::seconds{1};
    [[nodiscard]] core::duration unseen_for() const override { return unseen; }
    [[nodiscard]] core::duration lengthened(core::duration wanted) const override {
        return wanted + wanted / 10;
    }

    std::size_t most_watched = 1'000;  // of one wait
    [[nodiscard]] bool has_room_to_watch(std::size_t all, std::size_t, std::size_t) const override {
        return all <= most_watched;
    }

    // ---- what it did ----
    std::vector<core::request> open;      // requests without an answer
    std::vector<core::request> sent;      // all requests
    std::vector<told_value> told;         // but for:
    std::vector<std::string> entered_as;  // places that it was told to have
    std::set<std::string> watched;        // interests
    std::set<std::string> given_back;     // watches that the servers were to forget
    std::set<std::string> abandoned;      // GUIDs
    std::vector<std::string> guids;       // that were made
    std::optional<std::string> replacement;

    std::string new_guid() override {
        guids.push_back("00000000-0000-4000-8000-00000000000" + std::to_string(guids.size()));
        return guids.back();
    }
    core::ticket submit(core::operation&& op) override {
        EXPECT_TRUE(is_attached) << "requests are for a server that is there";
        open.push_back({core::ticket{++last_ticket_}, std::move(op)});
        sent.push_back(open.back());
        return open.back().id;
    }
    void watch(const std::string& path) override {
        EXPECT_TRUE(watched.insert(path).second) << "twice interested in " << path;
    }
    void unwatch(const std::string& path) override {
        if (watched.erase(path) > 0) given_back.insert(path);
    }
    void unwatch_gone(const std::string& path) override { watched.erase(path); }
    void abandon(const std::string& guid) override { abandoned.insert(guid); }
    void replace_session(const std::string& reason) override { replacement = reason; }
    void tell(told_value&& event) override {
        if (const auto* mine = std::get_if<core::entered>(&event)) {
            entered_as.push_back(mine->znode);
        } else {
            told.push_back(std::move(event));
        }
    }

    // ---- for tests ----
    template <class Op>
    [[nodiscard]] std::size_t count() const {
        return static_cast<std::size_t>(std::count_if(open.begin(), open.end(), is<Op>));
    }
    // The unanswered request of this kind; there must be one. With several: the first.
    template <class Op>
    [[nodiscard]] Op op() const {
        const auto found = std::find_if(open.begin(), open.end(), is<Op>);
        if (found != open.end()) return std::get<Op>(found->op);
        ADD_FAILURE() << "no such request";
        return {};
    }
    // The ok answer to it, on the current connection; it counts as answered.
    template <class Op>
    [[nodiscard]] core::reply reply_to() {
        core::reply answer;
        answer.outcome = core::outcome::answered;
        answer.connection = connection_number;
        answer.sent = clock;
        const auto found = std::find_if(open.begin(), open.end(), is<Op>);
        if (found == open.end()) {
            ADD_FAILURE() << "no such request";
            return answer;
        }
        answer.id = found->id;
        open.erase(found);
        return answer;
    }
    // The ok answer to the unanswered get of this path; there must be one.
    [[nodiscard]] core::reply reply_to_get(const std::string& path) {
        core::reply answer;
        answer.outcome = core::outcome::answered;
        answer.connection = connection_number;
        answer.sent = clock;
        const auto found = std::find_if(open.begin(), open.end(), [&path](const auto& entry) {
            const auto* get = std::get_if<core::get_op>(&entry.op);
            return get != nullptr && get->path == path;
        });
        if (found == open.end()) {
            ADD_FAILURE() << "no get of " << path;
            return answer;
        }
        answer.id = found->id;
        open.erase(found);
        return answer;
    }
    template <class T>
    [[nodiscard]] std::size_t times_told() const {
        return static_cast<std::size_t>(
            std::count_if(told.begin(), told.end(),
                          [](const auto& entry) { return std::holds_alternative<T>(entry); }));
    }
    template <class T>
    [[nodiscard]] const T* last_told() const {
        return told.empty() ? nullptr : std::get_if<T>(&told.back());
    }

private:
    template <class Op>
    static bool is(const core::request& request) {
        return std::holds_alternative<Op>(request.op);
    }
    std::uint64_t last_ticket_ = 0;
};

}  // namespace turnstile::test
