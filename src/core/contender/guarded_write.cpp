// SPDX-License-Identifier: Apache-2.0
#include "core/contender/guarded_write.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_errors.hpp"

namespace turnstile::core {

namespace {

constexpr std::int32_t k_fence = 2;  // a fence is two writes; each raises the version by 1

// The table in guarded_write.hpp: each row is a state, with the states that may follow it.
constexpr std::size_t k_write_states = 6;
constexpr std::array<std::array<bool, k_write_states>, k_write_states> k_write_may_follow{{
    // Columns of the table: idle, planning, sent, in_doubt, resolving, overtaken
    {false, true, true, false, false, false},   // idle
    {true, false, false, false, false, false},  // planning
    {true, false, false, true, false, true},    // sent
    {true, false, false, false, true, false},   // in_doubt
    {true, false, false, true, false, false},   // resolving
    {true, false, false, false, false, false},  // overtaken
}};

struct check_write_entry {
    void operator()(const write_state::idle& /*next*/) const {}
    void operator()(const write_state::planning& next) const {
        TURNSTILE_CHECK(!next.questions.empty());
        TURNSTILE_CHECK(next.there.empty());
    }
    void operator()(const write_state::sent& next) const {
        TURNSTILE_CHECK(next.own.settled);
        TURNSTILE_CHECK(next.own.version >= 0);
        TURNSTILE_CHECK(next.writing);
    }
    void operator()(const write_state::in_doubt& next) const {
        TURNSTILE_CHECK(!next.own.path.empty());
    }
    void operator()(const write_state::resolving& next) const {
        TURNSTILE_CHECK(!next.own.path.empty());
        TURNSTILE_CHECK(next.fencing);
        TURNSTILE_CHECK(next.reading);
    }
    void operator()(const write_state::overtaken& next) const {
        TURNSTILE_CHECK(!next.path.empty());
        TURNSTILE_CHECK(!next.reading);
    }
};

error removed(const std::string& znode) {
    return {errc::removed, znode + "; nothing was written"};
}

ticket submit(operation&& op, ticket_counter& tickets, std::vector<write_effect>& out) {
    const auto id = tickets.take();
    out.emplace_back(write_effects::submit_for_commits{{id, std::move(op)}});
    return id;
}

error outcome_unknown(const std::string& znode, const std::string& reason) {
    return {errc::outcome_unknown,
            "the commit under the hold of " + znode + ": " + reason +
                "; the servers can execute the commit only while that znode exists"};
}

}  // namespace

// ---- transitions ----------------------------------------------------------------------------

void guarded_writes::enter(state&& next) {
    static_assert(std::variant_size_v<state> == k_write_states);
    TURNSTILE_CHECK(k_write_may_follow[state_.index()][next.index()]);
    TURNSTILE_CHECK(is<write_state::idle>() || !queue_.empty());
    std::visit(check_write_entry{}, next);
    state_ = std::move(next);
}

// Called when no request is in progress any more and the version of the hold's znode is known.
void guarded_writes::settle(std::int32_t version, effects& out) {
    TURNSTILE_CHECK(version >= 0);
    enter(write_state::idle{});
    out.emplace_back(write_effects::version_became{version});
}

void guarded_writes::become_in_doubt(const session_view& session, own_znode own,
                                     const reply& answer, effects& out) {
    enter(write_state::in_doubt{std::move(own)});  // place: commit_is_in_doubt
    suspend(session, answer, out);
}

void guarded_writes::suspend(const session_view& session, const reply& answer, effects& out) {
    // A late answer of an earlier connection does not delay the requests of the present connection.
    if (session.attached && answer.connection < session.connection) return;
    awaits_retry_ = true;
    out.emplace_back(write_effects::retry_commits_later{});
}

// ---- events ---------------------------------------------------------------------------------

void guarded_writes::add(commit_id id, std::vector<write_part> parts,
                         std::vector<std::string> further, effects& out) {
    queue_.add(id, std::move(parts), std::move(further));
    if (over_) queue_.fail(id, *over_, out);
}

void guarded_writes::cancel(commit_id id, const error& why, effects& out) {
    if (!queue_.is_awaited(id)) return;
    if (!queue_.is_front(id) || is<write_state::idle>()) {
        queue_.fail(id, why, out);
    } else {
        queue_.answer(id, front_may_be_applied() ? outcome_unknown(own_path(), why.message()) : why,
                      out);
    }
}

void guarded_writes::on_reply(const session_view& session, const reply& answer, effects& out) {
    if (auto* const asks = std::get_if<write_state::planning>(&state_)) {
        if (const auto question = asks->questions.extract(answer.id))
            on_planned(session, question.mapped(), answer, out);
    } else if (auto* const writes = std::get_if<write_state::sent>(&state_)) {
        if (writes->writing.take_answer(answer))
            on_written(session, std::move(writes->own), answer, out);
    } else if (auto* const resolves = std::get_if<write_state::resolving>(&state_)) {
        // The fence is the write that stops a commit whose answer was lost. The answer to the fence shows only whether
        // the servers forbid the fence. The read that was sent after the fence shows the outcome of the commit.
        if (resolves->fencing.take_answer(answer)) {
            resolves->may_not_fence = classify(answer) == answer_class::forbidden;
            return;
        }
        if (resolves->reading.take_answer(answer))
            on_read(session, std::move(*resolves), answer, out);
    } else if (auto* const looks = std::get_if<write_state::overtaken>(&state_)) {
        if (looks->reading.take_answer(answer))
            on_looked(session, std::string{looks->path}, answer, out);
    }
}

void guarded_writes::on_hold_over(const error& why, effects& out) {
    if (!over_) over_ = why;
    if (is<write_state::planning>()) enter(write_state::idle{});
    fail_unsent(why, out);
}

void guarded_writes::on_epoch_end(const error& why, effects& out) {
    if (!over_) over_ = why;
    const bool may_be_applied = front_may_be_applied();
    const auto znode = own_path();
    if (!is<write_state::idle>()) enter(write_state::idle{});
    if (may_be_applied)
        queue_.finish_front(
            outcome_unknown(znode, "the session ended before the outcome was known"), out);
    fail_unsent(why, out);
}

// ---- requests -------------------------------------------------------------------------------

void guarded_writes::proceed(const own_znode& own, ticket_counter& tickets, effects& out) {
    if (is<write_state::idle>()) {
        if (!queue_.front().plan.is_drawn()) return plan(tickets, out);
        if (own.settled) send(own, tickets, out);
    } else if (auto* const lost = std::get_if<write_state::in_doubt>(&state_)) {
        resolve(std::move(lost->own), tickets, out);
    } else if (auto* const looks = std::get_if<write_state::overtaken>(&state_)) {
        looks->reading = submit(get_op{looks->path}, tickets, out);
    }
}

void guarded_writes::plan(ticket_counter& tickets, effects& out) {
    write_state::planning next;
    for (auto& path : queue_.front().plan.questions()) {
        const auto id = submit(exists_op{path}, tickets, out);
        next.questions.emplace(id, std::move(path));
    }
    enter(std::move(next));
}

void guarded_writes::send(const own_znode& own, ticket_counter& tickets, effects& out) {
    const auto& next = queue_.front();
    std::vector<multi_part> parts;
    parts.emplace_back(set_op{own.path, own.data, own.version});  // place: commit_guard
    for (const auto& znode : next.further)
        parts.emplace_back(check_op{znode});  // place: further_holds_are_checked
    const auto wanted = next.plan.steps();
    parts.insert(parts.end(), wanted.begin(), wanted.end());
    out.emplace_back(write_effects::version_became{k_any_version});
    enter(write_state::sent{own, submit(multi_op{std::move(parts)}, tickets, out)});
}

void guarded_writes::resolve(own_znode own, ticket_counter& tickets, effects& out) {
    const auto fence = multi_op{
        {set_op{own.path, own.data, own.version}, set_op{own.path, own.data, own.version + 1}}};
    const auto fencing = submit(fence, tickets, out);  // place: commit_fence
    const auto reading = submit(get_op{own.path}, tickets, out);
    enter(write_state::resolving{std::move(own), fencing, reading});
}

// ---- the reads before a commit (commit_plan) -------------------------------------------------

// Handles the answer to a read before a commit. If a read gets no answer, all reads are sent again. Reads that are out
// of date do no harm, because the servers then refuse the commit. A forbidden read shows that the znode exists. Servers
// since 3.7.3, 3.8.4 and 3.9.2 forbid a read of a znode that the client may not read, but they still report a missing
// znode (ZOOKEEPER-2590).
void guarded_writes::on_planned(const session_view& session, const std::string& path,
                                const reply& answer, effects& out) {
    auto& asked = std::get<write_state::planning>(state_);
    switch (classify(answer)) {
        case answer_class::ok:
        case answer_class::forbidden: asked.there.insert(path); break;
        case answer_class::gone: break;
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry:
            enter(write_state::idle{});
            put_back(out);
            return suspend(session, answer, out);
    }
    if (!asked.questions.empty()) return;
    queue_.front().plan.draw(asked.there);
    enter(write_state::idle{});
    put_back(out);
}

// ---- the answer to a commit -----------------------------------------------------------------

void guarded_writes::on_written(const session_view& session, own_znode own, const reply& answer,
                                effects& out) {
    const bool never_taken =
        answer.outcome == outcome::not_sent ||
        (answer.outcome == outcome::answered && answer.error == server_error::not_read_only);
    if (never_taken) {
        settle(own.version, out);
        put_back(out);
        suspend(session, answer, out);
    } else if (!is_heard(answer)) {
        become_in_doubt(session, std::move(own), answer, out);
    } else if (answer.error == server_error::ok) {
        const auto& done = queue_.front();
        const auto of_parts = [&done](auto answers, const auto& none) {
            const auto ahead = std::min(answers.size(), 1 + done.further.size());
            answers.erase(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(ahead));
            return done.plan.for_parts(std::move(answers), none);
        };
        committed outcome{of_parts(answer.paths, std::string{}),
                          of_parts(answer.versions, k_any_version)};
        settle(own.version + 1, out);
        queue_.finish_front(std::move(outcome), out);
    } else {
        on_refused(session, std::move(own), answer, out);
    }
}

void guarded_writes::on_refused(const session_view& session, own_znode own, const reply& answer,
                                effects& out) {
    const auto failed = failed_part(answer);
    // If the answer names no refused part, the servers may have applied the commit.
    if (!failed) return become_in_doubt(session, std::move(own), answer, out);
    const auto why = answer.parts[*failed];
    if (*failed > 0) {
        settle(own.version, out);
        on_part_refused(*failed - 1, why, out);
    } else if (why == server_error::bad_version) {
        out.emplace_back(write_effects::version_became{own.version});
        enter(write_state::overtaken{std::move(own.path), {}});
    } else {
        settle(own.version, out);
        queue_.finish_front(
            why == server_error::no_node ? removed(own.path) : refused_guard(own.path, why), out);
    }
}

// `index` is the position of the refused part in the transaction, without the write of the hold's own znode, which
// comes first. The checks of further holds follow that write, and the commit's operations follow the checks.
void guarded_writes::on_part_refused(std::size_t index, server_error why, effects& out) {
    auto& refused = queue_.front();
    if (index < refused.further.size()) {
        const auto& znode = refused.further[index];
        if (why != server_error::no_node)
            return queue_.finish_front(refused_guard(znode, why), out);
        return queue_.finish_front(removed(znode + ", the znode of another hold"), out);
    }
    const auto step = index - refused.further.size();
    if (refused.plan.is_outdated_by(step, why)) {
        refused.plan.discard(step, why);
        return put_back(out);  // proceed() reads again
    }
    queue_.finish_front(
        refused_part(refused.plan.steps().at(step), refused.plan.part_of(step), why), out);
}

// ---- the outcome of a commit whose answer was lost -------------------------------------------

void guarded_writes::on_read(const session_view& session, write_state::resolving resolved,
                             const reply& answer, effects& out) {
    auto& own = resolved.own;
    const auto is_hidden = [&](const char* why) {
        settle(own.version, out);
        queue_.finish_front(outcome_unknown(own.path, own.path + why), out);
    };
    switch (classify(answer)) {
        case answer_class::ok: break;
        case answer_class::gone: return is_hidden(" is gone");
        case answer_class::forbidden:
            return is_hidden(" cannot be read, because an ACL forbids it");
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return become_in_doubt(session, std::move(own), answer, out);
    }
    const auto version = answer.stat.version;
    // place: fence_came_to_nothing
    if (version == own.version && !resolved.may_not_fence)
        return become_in_doubt(session, std::move(own), answer, out);
    if (version == own.version) return is_hidden(" cannot be written, because an ACL forbids it");
    const bool ours = answer.data == own.data;
    if (ours && version == own.version + 1) {
        settle(version, out);
        queue_.finish_front(committed{}, out);
    } else if (ours && version == own.version + k_fence) {
        settle(version, out);
        put_back(out);
    } else {
        settle(own.version, out);
        queue_.finish_front(outcome_unknown(own.path, "another client has changed " + own.path),
                            out);
        out.emplace_back(write_effects::apply{answer});
    }
}

// Called in the state `overtaken`: the servers refused the commit because another client had written into the znode
// before. The commit is sent again with the current version. But if the data contain an order to release the lock, the
// hold ends, and the commit is not sent again.
void guarded_writes::on_looked(const session_view& session, const std::string& path,
                               const reply& answer, effects& out) {
    const auto end_with = [&](error&& why) {
        enter(write_state::idle{});
        queue_.finish_front(std::move(why), out);
    };
    switch (classify(answer)) {
        case answer_class::ok: break;
        case answer_class::gone: return end_with(removed(path));
        case answer_class::forbidden: return end_with(refused_guard(path, answer.error));
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return suspend(session, answer, out);
    }
    enter(write_state::idle{});
    out.emplace_back(write_effects::apply{answer});
    put_back(out);
}

// ---- the end of a commit --------------------------------------------------------------------

bool guarded_writes::front_may_be_applied() const noexcept {
    return is<write_state::sent>() || is<write_state::in_doubt>() || is<write_state::resolving>();
}

// Returns the path of the hold's znode if a commit may have been applied. Otherwise returns an empty text.
std::string guarded_writes::own_path() const {
    if (const auto* const writes = std::get_if<write_state::sent>(&state_)) return writes->own.path;
    if (const auto* const lost = std::get_if<write_state::in_doubt>(&state_)) return lost->own.path;
    if (const auto* const resolves = std::get_if<write_state::resolving>(&state_))
        return resolves->own.path;
    return {};
}

bool guarded_writes::waits(const session_view& session) const noexcept {
    if (!session.attached || awaits_retry_ || queue_.empty()) return false;
    if (const auto* const looks = std::get_if<write_state::overtaken>(&state_))
        return !looks->reading;
    return is<write_state::idle>() || is<write_state::in_doubt>();
}

// Called when no transaction that was sent for the oldest commit can be applied any more. If the commit is still
// wanted, proceed() sends a new transaction later.
void guarded_writes::put_back(effects& out) {
    TURNSTILE_CHECK(is<write_state::idle>());
    if (over_) return fail_unsent(*over_, out);
    queue_.drop_answered_front();
}

void guarded_writes::fail_unsent(const error& why, effects& out) {
    queue_.fail_behind(is<write_state::idle>() ? 0 : 1, why, out);
}

}  // namespace turnstile::core
