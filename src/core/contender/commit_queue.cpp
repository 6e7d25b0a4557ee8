// SPDX-License-Identifier: Apache-2.0
#include "core/contender/commit_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

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
