// SPDX-License-Identifier: Apache-2.0
// contender_stage: the session of one contender, controlled by a test.
//
// A test passes `session.event()` to each function of the contender. At the end of the expression, the stage executes
// the effects: it records requests and notices. The test then answers as the servers: `reply_to` finds the first
// unanswered request of a kind, and makes an answer.
//
//     lock.on_reply(session.event(), session.reply_to<core::children_op>());
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

#include "core/contender/contender_core.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::test {

class contender_stage {
public:
    using told_value = decltype(core::notice::event);

    // The contender's view of its session during one event, and the effects. The destructor executes the effects.
    class event_in_progress {
    public:
        explicit event_in_progress(contender_stage& stage)
            : stage_{stage},
              seen_{stage.view()},
              session_{seen_, stage.tickets_, stage.chance_, out_} {}
        ~event_in_progress() {
            for (auto& effect : out_) std::visit(stage_, effect);
        }
        event_in_progress(const event_in_progress&) = delete;
        event_in_progress& operator=(const event_in_progress&) = delete;
        operator core::contender_session&() { return session_; }  // NOLINT: stands for it

    private:
        contender_stage& stage_;
        const core::contender_view seen_;
        core::contender_session::effects out_;
        core::contender_session session_;
    };
    [[nodiscard]] event_in_progress event() { return event_in_progress{*this}; }

    // ---- the contender's view of its session ----
    bool is_attached = true;
    std::uint64_t connection_number = 1;
    std::int64_t own_session = 0x100;
    bool has_lease = true;
    bool knows_containers = true;
    core::time_point clock{};
    core::duration unseen = std::chrono::seconds{1};
    std::size_t most_watched = 1'000;  // the contender's limit of watches

    [[nodiscard]] core::contender_view view() const {
        core::contender_view seen;
        seen.attached = is_attached;
        seen.connection = connection_number;
        seen.session_id = own_session;
        seen.now = clock;
        seen.lease_lasts = has_lease;
        seen.unseen_for = unseen;
        seen.clock_drift = 0.1;
        seen.foreign_kinds = foreign_kind_policy::ignore;
        if (!knows_containers) seen.parent_mode = core::create_mode::persistent;
        seen.most_permits_watched = most_watched;
        seen.most_bytes_watched = 1'000'000;
        return seen;
    }

    // ---- the contender's actions ----
    std::vector<core::request> open;      // requests without an answer
    std::vector<core::request> sent;      // all requests
    std::vector<told_value> told;         // all notices except positions in the queue
    std::vector<std::string> entered_as;  // the reported positions in the queue
    std::set<std::string> watched;        // znodes whose watches the contender still needs
    std::set<std::string> given_back;     // watches that had to be removed at the servers
    std::set<std::string> abandoned;      // GUIDs in requests (create) that the contender gave up
    std::vector<std::string> guids;       // GUIDs in the contender's requests (create)
    std::optional<std::string> replacement;
    std::string found_ahead;  // the only contender ahead of a single attempt

    // ---- execution of the effects ----
    void operator()(core::contender_effects::submit_for_contender& wanted) {
        send(std::move(wanted.request));
    }
    void operator()(core::contender_effects::enter& wanted) {
        const auto& path = wanted.znode.path;
        const auto numbered = path.substr(path.rfind('/') + 1) + "0000000000";
        guids.emplace_back(core::contender_guid(numbered));
        EXPECT_FALSE(guids.back().empty()) << path;
        send({wanted.id, std::move(wanted.znode)});
    }
    void operator()(const core::contender_effects::list& wanted) {
        send({wanted.id, core::children_op{wanted.folder}});
    }
    void operator()(const core::contender_effects::remove& wanted) {
        for (const auto& path : wanted.watched) give_back(path);
        send({wanted.id, core::remove_op{wanted.path}});
    }
    void operator()(const core::contender_effects::number_known& /*known*/) {}
    void operator()(const core::contender_effects::watch& wanted) {
        EXPECT_TRUE(watched.insert(wanted.path).second) << "twice interested in " << wanted.path;
    }
    void operator()(const core::contender_effects::unwatch& wanted) { give_back(wanted.path); }
    void operator()(const core::contender_effects::unwatch_gone& wanted) {
        watched.erase(wanted.path);
    }
    void operator()(const core::contender_effects::warn_of_foreign& /*found*/) {}
    void operator()(const core::contender_effects::containers_unsupported& /*found*/) {
        knows_containers = false;
    }
    void operator()(const core::contender_effects::parent_create_lost& /*found*/) {}
    void operator()(const core::contender_effects::retry_later& /*wanted*/) {}
    void operator()(const core::contender_effects::abandon& wanted) {
        abandoned.insert(wanted.guid);
    }
    void operator()(const core::contender_effects::replace_session& wanted) {
        replacement = wanted.reason;
    }
    void operator()(const core::contender_effects::tell_busy& tried) {
        found_ahead = tried.predecessor;
        told.push_back(core::failed{{errc::busy, std::to_string(tried.ahead)}});
    }
    void operator()(core::contender_effects::tell& said) {
        if (const auto* mine = std::get_if<core::entered>(&said.event)) {
            entered_as.push_back(mine->znode);
        } else {
            told.push_back(std::move(said.event));
        }
    }

    // ---- access to the recorded requests and notices ----
    template <class Op>
    [[nodiscard]] std::size_t count() const {
        return static_cast<std::size_t>(std::count_if(open.begin(), open.end(), is<Op>));
    }
    // Returns the first unanswered request of this kind. A test fails if there is none.
    template <class Op>
    [[nodiscard]] Op op() const {
        const auto found = std::find_if(open.begin(), open.end(), is<Op>);
        if (found != open.end()) return std::get<Op>(found->op);
        ADD_FAILURE() << "no such request";
        return {};
    }
    // Takes the first unanswered request of this kind, and returns an ok answer to it on the current connection.
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
    // Takes the unanswered get request for this path, and returns an ok answer to it. A test fails if there is none.
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
    void send(core::request&& request) {
        EXPECT_TRUE(is_attached) << "requests are for a server that is there";
        open.push_back(std::move(request));
        sent.push_back(open.back());
    }
    void give_back(const std::string& path) {
        if (watched.erase(path) > 0) given_back.insert(path);
    }

    core::ticket_counter tickets_;
    base::random chance_{1};
};

}  // namespace turnstile::test
