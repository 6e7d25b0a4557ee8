// SPDX-License-Identifier: Apache-2.0
// commit_table: the guarded writes of a session's holds, the callers of these writes, and the releases that wait for
// the writes.
//
// Thread safety: none, a value.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/contender/guarded_write.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_messages.hpp"

namespace turnstile::core {

struct pending_commit {
    contender_id hold{};
    std::optional<time_point> deadline{};
    friend bool operator==(const pending_commit&, const pending_commit&) = default;
};

class commit_table {
public:
    // ---- the guarded writes of each hold ----
    [[nodiscard]] bool empty() const noexcept { return writes_.empty(); }
    [[nodiscard]] guarded_writes* writes_of(contender_id hold);
    [[nodiscard]] bool has_writes(contender_id hold) const { return writes_.contains(hold); }
    [[nodiscard]] std::vector<contender_id> holds() const;
    [[nodiscard]] bool end_if_empty(contender_id hold);

    // ---- events of a hold that concern its writes ----
    void hold_was_lost(contender_id hold, const error& why);
    void hold_has_settled(contender_id hold);
    [[nodiscard]] std::optional<error> take_loss(contender_id hold);
    // Returns a hold with commits that has changed since it was last returned: the hold was lost, or its
    // commits may change its znode now. Returns nothing if no hold has changed.
    [[nodiscard]] std::optional<contender_id> take_changed();

    // ---- callers of guarded writes ----
    void add(commit_id commit, const pending_commit& caller);
    [[nodiscard]] bool contains(commit_id commit) const { return callers_.contains(commit); }
    [[nodiscard]] contender_id hold_of(commit_id commit) const { return callers_.at(commit).hold; }
    [[nodiscard]] std::optional<pending_commit> take(commit_id commit);

    // ---- releases that wait for commits ----
    [[nodiscard]] bool is_released(contender_id hold) const { return releases_.contains(hold); }
    void release_later(const leave& release) { releases_.emplace(release.id, release); }
    [[nodiscard]] std::optional<leave> take_release(contender_id hold);

    friend bool operator==(const commit_table&, const commit_table&) = default;

private:
    std::map<contender_id, guarded_writes> writes_;  // for holds with commits in progress
    std::map<commit_id, pending_commit> callers_;
    std::map<contender_id, leave> releases_;
    std::map<contender_id, error> losses_;
    id_set changed_;
};

}  // namespace turnstile::core
