// SPDX-License-Identifier: Apache-2.0
#include "core/contender/guarded_write.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answer_class.hpp"
#include "core/contender/part_refusal.hpp"

namespace turnstile::core {

namespace {

constexpr std::int32_t k_fence = 2;  // versions that it goes on by

// The table of guarded_write.hpp: by the state that is left, those that may follow.
constexpr std::size_t k_write_states = 6;
constexpr std::array<std::array<bool, k_write_states>, k_write_states> k_write_may_follow{{
    // idle, planning, sent, unsure, resolving, overtaken
    {false, true, true, false, false, false},   // idle
    {true, false, false, false, false, false},  // planning
    {true, false, false, true, false, true},    // sent
    {true, false, false, false, true, false},   // unsure
    {true, false, false, true, false, false},   // resolving
    {true, false, false, false, false, false},  // overtaken
}};

// What is true of a state when it is entered.
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
    void operator()(const write_state::unsure& next) const {
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

// The part that the others were rolled back for; nothing if the answer names none.
std::optional<std::size_t> failed_part(const reply& answer) {
    const auto failed = std::find_if(answer.parts.begin(), answer.parts.end(), [](auto part) {
        return part != server_error::ok && part != server_error::rolled_back;
    });
    if (failed == answer.parts.end()) return std::nullopt;
    return static_cast<std::size_t>(failed - answer.parts.begin());
}

error removed(const std::string& znode) {
    return {errc::removed, znode + "; nothing was written"};
}

error outcome_unknown(const std::string& znode, const std::string& reason) {
    return {errc::outcome_unknown,
            "the commit under " + znode +
                "; once that znode is gone it will not be carried out any more: " + reason};
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

// Nothing is under way any more, and the znode has this version.
void guarded_writes::settle(write_context& c, std::int32_t version) {
    TURNSTILE_CHECK(version >= 0);
    enter(write_state::idle{});
    c.version_became(version);
}

void guarded_writes::become_unsure(write_context& c, own_znode own, const reply& answer) {
    enter(write_state::unsure{std::move(own)});  // place: commit_is_unsure
    suspend(c, answer);
}

void guarded_writes::suspend(write_context& c, const reply& answer) {
    // A late answer of an earlier connection says nothing about this one.
    if (c.attached() && answer.connection < c.connection()) return;
    awaits_retry_ = true;
    c.retry_later();
}

// ---- events ---------------------------------------------------------------------------------

void guarded_writes::add(write_context& c, acquisition_id id, std::vector<write_part> parts,
                         std::vector<std::string> standing) {
    if (over_) return c.tell(id, *over_);
    queue_.add(id, std::move(parts), std::move(standing));
    go_on(c);
}

void guarded_writes::cancel(write_context& c, acquisition_id id, const error& why) {
    if (!queue_.is_awaited(id)) return;
    if (!queue_.is_front(id) || is<write_state::idle>()) {
        queue_.fail(c, id, why);
    } else {
        queue_.answer(c, id,
                      front_may_be_applied() ? outcome_unknown(own_path(), why.message()) : why);
    }
}

void guarded_writes::on_reply(write_context& c, const reply& answer) {
    if (auto* const asks = std::get_if<write_state::planning>(&state_)) {
        if (const auto question = asks->questions.extract(answer.id))
            on_planned(c, question.mapped(), answer);
    } else if (auto* const writes = std::get_if<write_state::sent>(&state_)) {
        if (writes->writing.take_answer(answer)) on_written(c, std::move(writes->own), answer);
    } else if (auto* const resolves = std::get_if<write_state::resolving>(&state_)) {
        // The fence's own answer says little that the read behind it does not tell.
        if (resolves->fencing.take_answer(answer)) {
            resolves->may_not_fence = classify(answer) == answer_class::forbidden;
            return;
        }
        if (resolves->reading.take_answer(answer)) on_read(c, std::move(*resolves), answer);
    } else if (auto* const looks = std::get_if<write_state::overtaken>(&state_)) {
        if (looks->reading.take_answer(answer)) on_looked(c, std::string{looks->path}, answer);
    }
    go_on(c);
}

void guarded_writes::on_attached(write_context& c) {
    awaits_retry_ = false;
    go_on(c);
}

void guarded_writes::on_hold_over(write_context& c, const error& why) {
    if (!over_) over_ = why;
    if (is<write_state::planning>()) enter(write_state::idle{});
    fail_unsent(c, why);
}

void guarded_writes::on_epoch_end(write_context& c, const error& why) {
    if (!over_) over_ = why;
    const bool may_be_applied = front_may_be_applied();
    const auto znode = own_path();
    if (!is<write_state::idle>()) enter(write_state::idle{});
    if (may_be_applied)
        queue_.finish_front(
            c, outcome_unknown(znode, "the session ended before that could be found out"));
    fail_unsent(c, why);
}

// ---- what is sent ---------------------------------------------------------------------------

void guarded_writes::go_on(write_context& c) {
    if (!c.attached() || awaits_retry_ || queue_.empty()) return;
    if (is<write_state::idle>()) {
        if (!queue_.front().plan.is_drawn()) return plan(c);
        send(c);
    } else if (auto* const lost = std::get_if<write_state::unsure>(&state_)) {
        resolve(c, std::move(lost->own));
    } else if (auto* const looks = std::get_if<write_state::overtaken>(&state_)) {
        if (!looks->reading) looks->reading = c.submit(get_op{looks->path});
    }
}

void guarded_writes::plan(write_context& c) {
    write_state::planning next;
    for (auto& path : queue_.front().plan.questions()) {
        const auto id = c.submit(exists_op{path});
        next.questions.emplace(id, std::move(path));
    }
    enter(std::move(next));
}

void guarded_writes::send(write_context& c) {
    auto own = c.own();
    if (!own.settled) return;
    const auto& next = queue_.front();
    std::vector<multi_part> parts;
    parts.emplace_back(set_op{own.path, own.data, own.version});  // place: commit_guard
    for (const auto& znode : next.standing)
        parts.emplace_back(check_op{znode});  // place: further_holds_are_checked
    const auto wanted = next.plan.steps();
    parts.insert(parts.end(), wanted.begin(), wanted.end());
    c.version_became(k_any_version);
    const auto writing = c.submit(multi_op{std::move(parts)});
    enter(write_state::sent{std::move(own), writing});
}

void guarded_writes::resolve(write_context& c, own_znode own) {
    const auto fence = multi_op{
        {set_op{own.path, own.data, own.version}, set_op{own.path, own.data, own.version + 1}}};
    const auto fencing = c.submit(fence);  // place: commit_fence
    const auto reading = c.submit(get_op{own.path});
    enter(write_state::resolving{std::move(own), fencing, reading});
}

// ---- the plan -------------------------------------------------------------------------------

// A question that was not answered is asked again with all the others. What is there may change after any answer: the
// steps of a plan that is outdated are refused. What may not be read is there: since 3.7.3, 3.8.4 and 3.9.2 the servers
// refuse to tell of a znode, but not that there is none (ZOOKEEPER-2590).
void guarded_writes::on_planned(write_context& c, const std::string& path, const reply& answer) {
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
            put_back(c);
            return suspend(c, answer);
    }
    if (!asked.questions.empty()) return;
    queue_.front().plan.draw(asked.there);
    enter(write_state::idle{});
    put_back(c);
}

// ---- the answer to a commit -----------------------------------------------------------------

void guarded_writes::on_written(write_context& c, own_znode own, const reply& answer) {
    const bool never_taken =
        answer.outcome == outcome::not_sent ||
        (answer.outcome == outcome::answered && answer.error == server_error::not_read_only);
    if (never_taken) {
        settle(c, own.version);
        put_back(c);
        suspend(c, answer);
    } else if (!is_heard(answer)) {
        become_unsure(c, std::move(own), answer);
    } else if (answer.error == server_error::ok) {
        const auto& done = queue_.front();
        const auto of_parts = [&done](auto answers, const auto& none) {
            const auto ahead = std::min(answers.size(), 1 + done.standing.size());
            answers.erase(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(ahead));
            return done.plan.for_parts(std::move(answers), none);
        };
        committed outcome{of_parts(answer.paths, std::string{}),
                          of_parts(answer.versions, k_any_version)};
        settle(c, own.version + 1);
        queue_.finish_front(c, std::move(outcome));
    } else {
        on_refused(c, std::move(own), answer);
    }
}

void guarded_writes::on_refused(write_context& c, own_znode own, const reply& answer) {
    const auto failed = failed_part(answer);
    // Nothing says that it was not applied.
    if (!failed) return become_unsure(c, std::move(own), answer);
    const auto why = answer.parts[*failed];
    if (*failed > 0) {
        settle(c, own.version);
        on_part_refused(c, *failed - 1, why);
    } else if (why == server_error::bad_version) {
        c.version_became(own.version);
        enter(write_state::overtaken{std::move(own.path), {}});
    } else {
        settle(c, own.version);
        queue_.finish_front(
            c, why == server_error::no_node ? removed(own.path) : refused_guard(own.path, why));
    }
}

// Of those behind the own znode: first the further holds', then the steps.
void guarded_writes::on_part_refused(write_context& c, std::size_t index, server_error why) {
    auto& refused = queue_.front();
    if (index < refused.standing.size()) {
        const auto& znode = refused.standing[index];
        if (why != server_error::no_node) return queue_.finish_front(c, refused_guard(znode, why));
        return queue_.finish_front(c, removed(znode + ", of a further hold"));
    }
    const auto step = index - refused.standing.size();
    if (refused.plan.is_outdated_by(step, why)) {
        refused.plan.discard(step, why);
        return put_back(c);  // go_on reads again
    }
    queue_.finish_front(
        c, refused_part(refused.plan.steps().at(step), refused.plan.part_of(step), why));
}

// ---- finding out ----------------------------------------------------------------------------

void guarded_writes::on_read(write_context& c, write_state::resolving resolved,
                             const reply& answer) {
    auto& own = resolved.own;
    const auto is_hidden = [&](const char* why) {
        settle(c, own.version);
        queue_.finish_front(c, outcome_unknown(own.path, own.path + why));
    };
    switch (classify(answer)) {
        case answer_class::ok: break;
        case answer_class::gone: return is_hidden(" is gone");
        case answer_class::forbidden: return is_hidden(" may not be read any more");
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return become_unsure(c, std::move(own), answer);
    }
    const auto version = answer.stat.version;
    // place: fence_came_to_nothing
    if (version == own.version && !resolved.may_not_fence)
        return become_unsure(c, std::move(own), answer);
    if (version == own.version) return is_hidden(" may not be written any more");
    const bool ours = answer.data == own.data;
    if (ours && version == own.version + 1) {
        settle(c, version);
        queue_.finish_front(c, committed{});
    } else if (ours && version == own.version + k_fence) {
        settle(c, version);
        put_back(c);
    } else {
        settle(c, own.version);
        queue_.finish_front(c, outcome_unknown(own.path, "another client has changed " + own.path));
        c.apply(answer);
    }
}

// Another client wrote to the znode before the commit came: which was refused, and is sent again with the
// version of now, unless the hold finds that it has been taken away.
void guarded_writes::on_looked(write_context& c, const std::string& path, const reply& answer) {
    const auto end_with = [&](error&& why) {
        enter(write_state::idle{});
        queue_.finish_front(c, std::move(why));
    };
    switch (classify(answer)) {
        case answer_class::ok: break;
        case answer_class::gone: return end_with(removed(path));
        case answer_class::forbidden: return end_with(refused_guard(path, answer.error));
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return suspend(c, answer);
    }
    enter(write_state::idle{});
    c.apply(answer);
    put_back(c);
}

// ---- the end of a commit --------------------------------------------------------------------

bool guarded_writes::front_may_be_applied() const noexcept {
    return is<write_state::sent>() || is<write_state::unsure>() || is<write_state::resolving>();
}

// The own znode of the commit that may be applied; empty in the other states.
std::string guarded_writes::own_path() const {
    if (const auto* const writes = std::get_if<write_state::sent>(&state_)) return writes->own.path;
    if (const auto* const lost = std::get_if<write_state::unsure>(&state_)) return lost->own.path;
    if (const auto* const resolves = std::get_if<write_state::resolving>(&state_))
        return resolves->own.path;
    return {};
}

bool guarded_writes::waits() const noexcept {
    return is<write_state::idle>() && !queue_.empty() && !awaits_retry_;
}

// The first commit was not applied, and never will be. It is sent again by go_on, unless it is not wanted any more.
void guarded_writes::put_back(write_context& c) {
    TURNSTILE_CHECK(is<write_state::idle>());
    if (over_) return fail_unsent(c, *over_);
    queue_.drop_answered_front();
}

void guarded_writes::fail_unsent(write_context& c, const error& why) {
    queue_.fail_behind(c, is<write_state::idle>() ? 0 : 1, why);
}

}  // namespace turnstile::core
