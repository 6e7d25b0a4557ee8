// SPDX-License-Identifier: Apache-2.0
// data_calls: the calls of a session's users that read or write data: guarded writes of holds (commit_table), and reads
// and writes without a hold (inquiries).
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "core/contender/guarded_write.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_messages.hpp"

namespace turnstile::core {

struct pending_commit {
    contender_id hold{};
    std::optional<time_point> deadline{};
    friend bool operator==(const pending_commit&, const pending_commit&) = default;
};

// commit_table: the guarded writes of a session's holds, the callers of these writes, and the releases that wait for
// the writes.
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

struct inquiry {
    operation op;
    std::optional<time_point> deadline;
    std::uint64_t only_on = 0;  // the only connection on which it may be sent; 0: any
    bool under_way = false;
    friend bool operator==(const inquiry&, const inquiry&) = default;
};

// inquiries: reads and writes of callers that have no hold. The session sends each inquiry again until it is answered.
class inquiries {
public:
    using map = std::map<inquiry_id, inquiry>;

    void add(inquiry_id id, operation op, std::optional<time_point> deadline,
             std::uint64_t only_on = 0) {
        TURNSTILE_CHECK(!contains(id));
        waiting_[id] = {std::move(op), deadline, only_on, false};
    }
    [[nodiscard]] bool contains(inquiry_id id) const { return waiting_.contains(id); }
    [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
    [[nodiscard]] std::vector<inquiry_id> ids() const {
        std::vector<inquiry_id> all;
        for (const auto& [id, inquiry] : waiting_) all.push_back(id);
        return all;
    }
    // An inquiry is a read or write of a caller without a hold. Returns true if the inquiry is not in progress, and its
    // member `only_on` allows only a connection other than `connection`.
    [[nodiscard]] bool is_too_late(inquiry_id id, std::uint64_t connection) const {
        const auto& found = waiting_.at(id);
        return !found.under_way && found.only_on != 0 && found.only_on != connection;
    }
    // Marks the inquiry (a read or write of a caller without a hold) as in progress, and returns its operation. Returns
    // nothing if it is in progress already.
    [[nodiscard]] std::optional<operation> begin(inquiry_id id) {
        auto& found = waiting_.at(id);
        if (std::exchange(found.under_way, true)) return std::nullopt;
        return found.op;
    }
    void lost(inquiry_id id) {
        TURNSTILE_CHECK(waiting_.at(id).under_way);
        waiting_.at(id).under_way = false;
    }
    // Called when the session has ended, which ends every request. Each inquiry may be sent again.
    void all_lost() {
        for (auto& [id, inquiry] : waiting_) inquiry.under_way = false;
    }
    [[nodiscard]] std::optional<inquiry> take(inquiry_id id) {
        auto found = waiting_.extract(id);
        return found ? std::optional{std::move(found.mapped())} : std::nullopt;
    }
    [[nodiscard]] map take_all() { return std::exchange(waiting_, {}); }

    friend bool operator==(const inquiries&, const inquiries&) = default;

private:
    map waiting_;
};

}  // namespace turnstile::core
