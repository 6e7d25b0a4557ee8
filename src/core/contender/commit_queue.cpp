// SPDX-License-Identifier: Apache-2.0
#include "core/contender/commit_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/path.hpp"

namespace turnstile::core {

commit_plan::commit_plan(std::vector<write_part> parts) : parts_{std::move(parts)} {
    if (questions().empty()) draw({});
}

std::vector<std::string> commit_plan::questions() const {
    std::set<std::string> all;
    for (const auto& part : parts_) {
        if (const auto* put = std::get_if<put_op>(&part)) {
            all.insert(put->path);
        } else if (const auto* make = std::get_if<make_op>(&part)) {
            for (auto& path : base::path_from_root(make->path)) all.insert(std::move(path));
        }
    }
    return {all.begin(), all.end()};
}

void commit_plan::draw(const std::set<std::string>& there) {
    TURNSTILE_CHECK(!drawn_);
    steps_.clear();
    auto present = there;
    for (std::size_t i = 0; i != parts_.size(); ++i) add(i, present);
    drawn_ = true;
    TURNSTILE_CHECK(std::is_sorted(steps_.begin(), steps_.end(),
                                   [](const step& a, const step& b) { return a.part < b.part; }));
}

void commit_plan::discard(std::size_t which, server_error why) {
    TURNSTILE_CHECK(drawn_);
    const auto* const checked = std::get_if<check_op>(&steps_.at(which).request);
    if (checked != nullptr && why == server_error::no_auth) unreadable_.insert(checked->path);
    steps_.clear();
    drawn_ = false;
}

// Appends the steps for this part. `there` has the paths of the existing znodes. This function adds the paths of znodes
// that the steps create, because later parts of the transaction see these znodes.
void commit_plan::add(std::size_t part, std::set<std::string>& there) {
    using kind = step::kind;
    if (const auto* put = std::get_if<put_op>(&parts_[part])) {
        if (there.insert(put->path).second) {
            steps_.push_back({create_op{put->path, put->data, create_mode::persistent, put->acl},
                              part, kind::put});
        } else {
            steps_.push_back({set_op{put->path, put->data}, part, kind::put});
        }
    } else if (const auto* make = std::get_if<make_op>(&parts_[part])) {
        // place: what_is_made_is_checked
        if (there.contains(make->path) && !unreadable_.contains(make->path))
            steps_.push_back({check_op{make->path}, part, kind::make, false});
        for (const auto& path : base::path_from_root(make->path)) {
            if (!there.insert(path).second) continue;
            steps_.push_back({create_op{path, "", create_mode::persistent, make->acl}, part,
                              kind::make, path == make->path});
        }
    } else if (const auto* create = std::get_if<create_op>(&parts_[part])) {
        if (!is_sequential(create->mode)) there.insert(create->path);
        steps_.push_back({*create, part});
    } else if (const auto* removal = std::get_if<remove_op>(&parts_[part])) {
        there.erase(removal->path);
        steps_.push_back({*removal, part});
    } else if (const auto* set = std::get_if<set_op>(&parts_[part])) {
        steps_.push_back({*set, part});
    } else {
        steps_.push_back({std::get<check_op>(parts_[part]), part});
    }
}

std::vector<multi_part> commit_plan::steps() const {
    TURNSTILE_CHECK(drawn_);
    std::vector<multi_part> all;
    all.reserve(steps_.size());
    for (const auto& each : steps_) all.push_back(each.request);
    return all;
}

// A refusal for a missing parent is final for a put_op, because its caller must create the parents. For a make_op the
// same refusal shows that the plan is outdated, because the plan creates the parents.
bool commit_plan::is_outdated_by(std::size_t which, server_error why) const {
    TURNSTILE_CHECK(which < steps_.size());
    const auto& refused = steps_[which];
    if (refused.why == step::kind::as_told) return false;
    if (std::holds_alternative<check_op>(refused.request))
        return why == server_error::no_node || why == server_error::no_auth;
    if (!std::holds_alternative<create_op>(refused.request)) return why == server_error::no_node;
    if (why == server_error::node_exists) return true;
    return why == server_error::no_node && refused.why == step::kind::make;
}

void commit_queue::add(commit_id id, std::vector<write_part> parts,
                       std::vector<std::string> further) {
    TURNSTILE_CHECK(id != commit_id{});
    TURNSTILE_CHECK(!is_awaited(id));
    commits_.push_back({id, commit_plan{std::move(parts)}, std::move(further), false});
}

commit_queue::commit& commit_queue::front() {
    TURNSTILE_CHECK(!commits_.empty());
    return commits_.front();
}

const commit_queue::commit& commit_queue::front() const {
    TURNSTILE_CHECK(!commits_.empty());
    return commits_.front();
}

bool commit_queue::is_awaited(commit_id id) const {
    return std::any_of(commits_.begin(), commits_.end(),
                       [id](const commit& each) { return each.id == id && !each.answered; });
}

bool commit_queue::is_front(commit_id id) const {
    return !commits_.empty() && commits_.front().id == id;
}

void commit_queue::finish_front(commit_outcome&& outcome, std::vector<write_effect>& out) {
    const auto done = std::move(front());
    commits_.pop_front();
    if (!done.answered) out.emplace_back(write_effects::tell_outcome{done.id, std::move(outcome)});
}

void commit_queue::drop_answered_front() {
    if (!commits_.empty() && commits_.front().answered) commits_.pop_front();
}

void commit_queue::fail_behind(std::size_t kept, const error& why, std::vector<write_effect>& out) {
    if (kept >= commits_.size()) return;
    const auto behind = commits_.begin() + static_cast<std::ptrdiff_t>(kept);
    for (auto each = behind; each != commits_.end(); ++each)
        if (!each->answered) out.emplace_back(write_effects::tell_outcome{each->id, why});
    commits_.erase(behind, commits_.end());
}

void commit_queue::answer(commit_id id, const error& why, std::vector<write_effect>& out) {
    TURNSTILE_CHECK(is_awaited(id));
    find(id)->answered = true;
    out.emplace_back(write_effects::tell_outcome{id, why});
}

void commit_queue::fail(commit_id id, const error& why, std::vector<write_effect>& out) {
    TURNSTILE_CHECK(is_awaited(id));
    commits_.erase(find(id));
    out.emplace_back(write_effects::tell_outcome{id, why});
}

std::deque<commit_queue::commit>::iterator commit_queue::find(commit_id id) {
    return std::find_if(commits_.begin(), commits_.end(),
                        [id](const commit& each) { return each.id == id; });
}

}  // namespace turnstile::core
