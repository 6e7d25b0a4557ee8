// SPDX-License-Identifier: Apache-2.0
#include "core/contender/guarded_write.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::core {

namespace {

constexpr std::int32_t k_fence = 2;  // versions that it goes on by

std::string describe(const multi_part& part) {
    const auto with_version = [](const std::string& text, std::int32_t version) {
        return version == k_any_version ? text : text + ", version " + std::to_string(version);
    };
    if (const auto* create = std::get_if<create_op>(&part)) return "create \"" + create->path + '"';
    if (const auto* removal = std::get_if<remove_op>(&part))
        return with_version("remove \"" + removal->path + '"', removal->version);
    if (const auto* set = std::get_if<set_op>(&part))
        return with_version("set \"" + set->path + '"', set->version);
    const auto& check = std::get<check_op>(part);
    return with_version("check \"" + check.path + '"', check.version);
}

// What a caller is told of a part that was refused.
struct refusal {
    errc code = errc::protocol;
    const char* rule = "the servers refuse it";
};

refusal refusal_of(server_error why) noexcept {
    switch (why) {
        case server_error::no_node:
            return {errc::no_node, "the znode, or the parent of a new one, is not there"};
        case server_error::node_exists: return {errc::node_exists, "the znode is there already"};
        case server_error::not_empty: return {errc::not_empty, "the znode has children"};
        case server_error::bad_version: return {errc::bad_version, "the znode has another version"};
        case server_error::no_auth: return {errc::no_permission, "an ACL forbids it"};
        case server_error::no_children_for_ephemerals:
            return {errc::bad_path, "the parent is ephemeral and cannot have children"};
        case server_error::quota_exceeded:
            return {errc::quota_exceeded, "a quota on it or on a parent of it is used up"};
        case server_error::local_session:
            return {errc::local_session, "the servers' sessions are local and can own no znode"};
        case server_error::invalid_acl:
            return {errc::bad_option,
                    "access_policy::creator_only needs credentials that the servers accept"};
        case server_error::bad_arguments: return {errc::bad_option};
        case server_error::ok:
        case server_error::unimplemented:
        case server_error::not_read_only:
        case server_error::rolled_back:
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::auth_failed:
        case server_error::throttled:
        case server_error::other: break;
    }
    return {};
}

// The part that the others were rolled back for; nothing if the answer names none.
std::optional<std::size_t> failed_part(const reply& answer) {
    const auto failed = std::find_if(answer.parts.begin(), answer.parts.end(), [](auto part) {
        return part != server_error::ok && part != server_error::rolled_back;
    });
    if (failed == answer.parts.end()) return std::nullopt;
    return static_cast<std::size_t>(failed - answer.parts.begin());
}

bool not_about_us(server_error why) noexcept {
    return why == server_error::session_expired || why == server_error::session_moved;
}

}  // namespace

error refused_part(const multi_part& part, std::size_t index, server_error why) {
    const auto [code, rule] = refusal_of(why);
    return error{code, "part " + std::to_string(index) + " (" + describe(part) + "): " + rule}
        .of_part(index);
}

// ---- events ---------------------------------------------------------------------------------

void guarded_writes::add(write_context& c, acquisition_id id, std::vector<write_part> parts,
                         std::vector<std::string> standing) {
    if (over_) return c.tell(id, *over_);
    queue_.push_back({id, commit_plan{std::move(parts)}, std::move(standing), false});
    go_on(c);
}

void guarded_writes::cancel(write_context& c, acquisition_id id, const error& why) {
    const auto found = std::find_if(queue_.begin(), queue_.end(),
                                    [id](const commit& entry) { return entry.id == id; });
    if (found == queue_.end() || found->told) return;
    const bool under_way = found == queue_.begin() && step_ != step::idle;
    found->told = true;
    const bool sent = under_way && step_ != step::looking && step_ != step::planning;
    c.tell(id, sent ? unknown(why.message()) : why);
    if (!under_way) queue_.erase(found);
}

void guarded_writes::on_reply(write_context& c, const reply& answer) {
    if (writing_ == answer.id) {
        writing_.reset();
        on_written(c, answer);
    } else if (fencing_ == answer.id) {
        fencing_.reset();  // the read behind it tells
    } else if (reading_ == answer.id) {
        reading_.reset();
        fencing_.reset();
        on_read(c, answer);
    } else if (looking_ == answer.id) {
        looking_.reset();
        on_looked(c, answer);
    } else if (const auto question = planning_.extract(answer.id)) {
        on_planned(c, question.mapped(), answer);
    }
    go_on(c);
}

void guarded_writes::on_attached(write_context& c) {
    parked_ = false;
    go_on(c);
}

void guarded_writes::on_hold_over(write_context& c, const error& why) {
    if (!over_) over_ = why;
    drop_plan();
    fail_unsent(c, why);
}

void guarded_writes::on_epoch_end(write_context& c, const error& why) {
    if (!over_) over_ = why;
    drop_plan();
    if (step_ == step::looking) step_ = step::idle;  // it was refused
    fail_unsent(c, why);
    if (queue_.empty()) return;
    finish(c, unknown("the session ended before that could be found out"));
    step_ = step::idle;
}

// ---- the commit itself ----------------------------------------------------------------------

void guarded_writes::go_on(write_context& c) {
    if (!c.attached() || parked_ || queue_.empty()) return;
    if (step_ == step::idle) {
        send(c);
    } else if (step_ == step::unsure) {
        resolve(c);
    } else if (step_ == step::looking && !looking_) {
        looking_ = c.submit(get_op{znode_});
    }
}

void guarded_writes::send(write_context& c) {
    if (!queue_.front().plan.is_drawn()) return plan(c);
    auto own = c.own();
    if (!own.settled) return;
    znode_ = std::move(own.path);
    data_ = std::move(own.data);
    version_ = own.version;
    std::vector<multi_part> parts;
    parts.emplace_back(set_op{znode_, data_, version_});  // place: commit_guard
    const auto& next = queue_.front();
    for (const auto& znode : next.standing) parts.emplace_back(check_op{znode});
    const auto wanted = next.plan.steps();
    parts.insert(parts.end(), wanted.begin(), wanted.end());
    step_ = step::sent;
    c.version_became(k_any_version);
    writing_ = c.submit(multi_op{std::move(parts)});
}

// ---- the plan -------------------------------------------------------------------------------

void guarded_writes::plan(write_context& c) {
    step_ = step::planning;
    there_.clear();
    for (auto& path : queue_.front().plan.questions()) {
        const auto id = c.submit(exists_op{path});
        planning_.emplace(id, std::move(path));
    }
}

// A question that was not answered is asked again with all the others: later, they say the same or more.
void guarded_writes::on_planned(write_context& c, const std::string& path, const reply& answer) {
    const bool told = answer.outcome == outcome::answered &&
                      (answer.error == server_error::ok || answer.error == server_error::no_node);
    if (!told) {
        drop_plan();
        not_applied(c);
        return park(c, answer);
    }
    if (answer.error == server_error::ok) there_.insert(path);
    if (!planning_.empty()) return;
    queue_.front().plan.draw(there_);
    drop_plan();
    not_applied(c);
}

void guarded_writes::drop_plan() {
    planning_.clear();
    there_.clear();
    if (step_ == step::planning) step_ = step::idle;
}

// ---- the answer -----------------------------------------------------------------------------

void guarded_writes::on_written(write_context& c, const reply& answer) {
    const bool never_taken =
        answer.outcome == outcome::not_sent ||
        (answer.outcome == outcome::answered && answer.error == server_error::not_read_only);
    if (never_taken) {
        settle(c, version_);
        not_applied(c);
        park(c, answer);
    } else if (answer.outcome == outcome::unknown || not_about_us(answer.error)) {
        became_unsure(c, answer);
    } else if (answer.error == server_error::ok) {
        const auto& done = queue_.front();
        const auto of_parts = [&done](auto answers, const auto& none) {
            const auto ahead = std::min(answers.size(), 1 + done.standing.size());
            answers.erase(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(ahead));
            return done.plan.for_parts(std::move(answers), none);
        };
        committed outcome{of_parts(answer.paths, std::string{}),
                          of_parts(answer.versions, k_any_version)};
        settle(c, version_ + 1);
        finish(c, std::move(outcome));
    } else {
        on_refused(c, answer);
    }
}

void guarded_writes::on_refused(write_context& c, const reply& answer) {
    const auto failed = failed_part(answer);
    if (!failed) return became_unsure(c, answer);  // nothing that says that it was not applied
    const auto why = answer.parts[*failed];
    settle(c, version_);
    if (*failed > 0) return on_part_refused(c, *failed - 1, why);
    if (why == server_error::no_node) {
        finish(c, error{errc::removed, "nothing was written: " + znode_ + " is gone"});
    } else if (why == server_error::bad_version) {
        step_ = step::looking;  // go_on reads it
    } else {
        const auto [code, rule] = refusal_of(why);
        finish(c, error{code, "nothing was written: " + znode_ + ": " + rule});
    }
}

// Of those behind the own znode: first the further holds', then the steps.
void guarded_writes::on_part_refused(write_context& c, std::size_t index, server_error why) {
    auto& refused = queue_.front();
    if (index < refused.standing.size()) {
        const auto& znode = refused.standing[index];
        if (why == server_error::no_node)
            return finish(c, error{errc::removed, "nothing was written: " + znode +
                                                      ", of a further hold, is gone"});
        const auto [code, rule] = refusal_of(why);
        return finish(c, error{code, "nothing was written: " + znode + ": " + rule});
    }
    const auto which = index - refused.standing.size();
    if (refused.plan.is_outdated_by(which, why)) {
        refused.plan.discard();
        return not_applied(c);  // go_on reads again
    }
    finish(c, refused_part(refused.plan.steps().at(which), refused.plan.part_of(which), why));
}

// ---- finding out ----------------------------------------------------------------------------

void guarded_writes::became_unsure(write_context& c, const reply& answer) {
    step_ = step::unsure;  // place: commit_is_unsure
    park(c, answer);
}

void guarded_writes::resolve(write_context& c) {
    step_ = step::resolving;
    // place: commit_fence
    fencing_ =
        c.submit(multi_op{{set_op{znode_, data_, version_}, set_op{znode_, data_, version_ + 1}}});
    reading_ = c.submit(get_op{znode_});
}

void guarded_writes::on_read(write_context& c, const reply& answer) {
    const bool told = answer.outcome == outcome::answered && !not_about_us(answer.error);
    if (!told) return became_unsure(c, answer);
    if (answer.error != server_error::ok) {
        settle(c, version_);
        return finish(c, unknown(znode_ + " is gone"));
    }
    const auto version = answer.stat.version;
    // place: fence_came_to_nothing
    if (version == version_) return became_unsure(c, answer);  // the fence came to nothing
    const bool ours = answer.data == data_;
    if (ours && version == version_ + 1) {
        settle(c, version);
        finish(c, committed{});
    } else if (ours && version == version_ + k_fence) {
        settle(c, version);
        not_applied(c);
    } else {
        settle(c, version_);
        finish(c, unknown("somebody else has changed " + znode_));
        c.apply(answer);
    }
}

// Another client wrote to the znode before the commit came: which was refused, and is sent again with the
// version of now, unless the hold finds that it has been taken away.
void guarded_writes::on_looked(write_context& c, const reply& answer) {
    const bool told = answer.outcome == outcome::answered && !not_about_us(answer.error);
    if (!told) return park(c, answer);
    step_ = step::idle;
    if (answer.error == server_error::no_node)
        return finish(c, error{errc::removed, "nothing was written: " + znode_ + " is gone"});
    if (answer.error == server_error::ok) c.apply(answer);
    not_applied(c);
}

// And never will be. It is sent again by go_on, unless it is not wanted any more.
void guarded_writes::not_applied(write_context& c) {
    if (over_) {
        fail_unsent(c, *over_);
    } else if (!queue_.empty() && queue_.front().told) {
        queue_.pop_front();
    }
}

// ---- the end of a commit --------------------------------------------------------------------

void guarded_writes::settle(write_context& c, std::int32_t version) {
    step_ = step::idle;
    version_ = version;
    c.version_became(version);
}

void guarded_writes::finish(write_context& c, commit_outcome&& outcome) {
    const auto done = std::move(queue_.front());
    queue_.pop_front();
    if (!done.told) c.tell(done.id, std::move(outcome));
}

void guarded_writes::fail_unsent(write_context& c, const error& why) {
    const auto first = queue_.begin() + (step_ == step::idle || queue_.empty() ? 0 : 1);
    for (auto each = first; each != queue_.end(); ++each)
        if (!each->told) c.tell(each->id, why);
    queue_.erase(first, queue_.end());
}

void guarded_writes::park(write_context& c, const reply& answer) {
    // A late answer of an earlier connection says nothing about this one.
    if (c.attached() && answer.connection < c.connection()) return;
    parked_ = true;
    c.retry_later();
}

error guarded_writes::unknown(const std::string& reason) const {
    return {errc::outcome_unknown,
            "the commit under " + znode_ + " may or may not have been " +
                "carried out; it will not be once that znode is gone: " + reason};
}

}  // namespace turnstile::core
