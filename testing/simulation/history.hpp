// SPDX-License-Identifier: Apache-2.0
// history: the truth of a run, which no client in it can see: which contender znodes existed when, each caller's
// results, and until when each grant is valid by its client's clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"
#include "core/seam/seam.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

// The reason for the removal of a contender's znode. Two reasons are the servers' fault. lost: with the data that
// they forgot. early: with its session, because the servers forgot its latest message, or a clock was set.
enum class removal { none, by_owner, with_session, by_hand, after_order, lost, early };

// Late: a server held the create up, so its client may have looked for the znode without finding it, and continued.
enum class arrival { in_time, late };

struct znode_record {
    std::string folder;
    std::string znode;
    std::string data;  // identifies the contender, see `tag`
    session_id session = 0;
    core::claim wants;
    std::int64_t created = 0;  // zxids
    std::int64_t place = 0;    // when its place was taken: earlier, if it was renamed
    std::int64_t deleted = 0;
    arrival came = arrival::in_time;
    removal why = removal::none;
    bool by_force = false;  // by another client, or with a session that an operator closed
    instant deleted_at{};
    std::optional<instant> returned_at;  // its deletion was lost with the servers' data
    bool was_forced = false;             // the deletion was another client's or an operator's
    bool was_given_up = false;           // or by its own client, or its session had ended
    std::set<session_id> woken;          // others than the owner that a watch informed
};

// A contender, from the call on.
using contender_key = std::pair<client_id, core::contender_id>;
struct contender_record {
    std::string folder;
    core::claim wants;
    std::optional<std::int32_t> limit;  // the semaphore's limit, as its caller believes
    bool once = false;
    bool enters_again = true;                  // after the session's end
    std::optional<core::time_point> deadline;  // by the client's clock
    core::duration max_hold{};                 // zero: no limit
    bool granted = false;
    bool failed = false;
    bool cancelled = false;
    bool left = false;     // released, or given up by the caller
    bool at_risk = false;  // and its caller was notified
    bool lost = false;
    bool gone = false;
    bool abandoned = false;  // abandoned because the client closed without the servers' answer

    // Data of a grant.
    std::string znode;
    fencing_token token;
    std::uint64_t epoch = 0;
    instant granted_at{};
    bool over = false;                                   // valid_until has passed once
    core::time_point max_end = core::time_point::max();  // by max_hold
    std::optional<instant> given_up_at;                  // when max_hold ended it
    std::optional<core::time_point> valid_until;  // by the client's clock; shown by the guard

    [[nodiscard]] bool answered() const noexcept { return granted || failed; }
    [[nodiscard]] bool holds() const noexcept { return granted && !left && !lost; }
};

class history {
public:
    // Returns the data of a contender's znodes, by which they are recognized.
    [[nodiscard]] static std::string tag(contender_key key);

    // ---- the servers' side: committed transactions, in order ----
    void on_created(const std::string& znode, const std::string& data, session_id session,
                    std::int64_t zxid, arrival came);
    // Ignores znodes of no contender.
    void on_deleted(const std::string& znode, std::int64_t zxid, removal why, instant when);
    // The servers have lost everything after `kept`: created znodes are gone, deleted ones exist again. `answered`: a
    // client knew of a change that is lost.
    void on_lost_data(std::int64_t kept, instant when, bool answered);
    // True if a client knew of a lost change.
    [[nodiscard]] bool has_lost_data() const noexcept { return lost_data_at_.has_value(); }
    // The latest time of a lost change of which a client may know.
    [[nodiscard]] std::optional<instant> lost_data_at() const noexcept { return lost_data_at_; }
    void on_changed_by_hand(const std::string& znode, std::int64_t zxid);
    void on_taken(const std::string& znode) { taken_.insert(znode); }
    void on_ordered(const std::string& requester, const std::string& znode) {
        ordered_[requester] = znode;
    }
    void on_limit(const std::string& folder, const core::permit_limit& permits, std::int64_t zxid);
    void on_over_quota(const std::string& folder) { over_quota_.insert(folder); }
    void on_closed_by_hand(session_id session, std::int64_t zxid) {
        closed_by_hand_[session] = zxid;
    }

    struct written {
        std::string path;
        std::string data;
        std::int64_t zxid = 0;
        std::int64_t stamp = 0;  // the leader's, in milliseconds
    };
    void on_written(written&& write) { written_.push_back(std::move(write)); }
    // A persistent znode was created or removed.
    void on_presence(const std::string& path, std::int64_t zxid, bool there);
    // Returns the zxid after which writes were lost since the last call.
    [[nodiscard]] std::optional<std::int64_t> take_lost() {
        return std::exchange(lost_after_, std::nullopt);
    }
    // Returns the data set in transactions since the last call.
    [[nodiscard]] std::vector<written> take_written() { return std::exchange(written_, {}); }

    // Returns whether the znode existed after this transaction: for persistent znodes that were created in the
    // history.
    [[nodiscard]] bool stood(const std::string& path, std::int64_t zxid) const;

    // Counts transactions that removed or created several contenders.
    void on_multi(const core::multi_op& multi);
    [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }
    [[nodiscard]] std::uint64_t creation_batches() const noexcept { return creation_batches_; }

    // ---- questions ----
    [[nodiscard]] znode_record* find(const std::string& znode);
    // The same, or the znode that took its place when it was renamed.
    [[nodiscard]] znode_record* in_place_of(const std::string& znode);
    [[nodiscard]] const std::vector<znode_record>& of(const std::string& folder) const;
    [[nodiscard]] std::vector<std::string> standing() const;  // existing znodes of contenders
    // Returns the existing znode of this contender that did not come late, if there is one.
    [[nodiscard]] const znode_record* standing_of(contender_key key) const;
    // Returns the znodes created since the last call.
    [[nodiscard]] std::vector<std::string> take_created() { return std::exchange(created_, {}); }
    [[nodiscard]] static bool failed_by_servers(const znode_record& record) {
        return record.why == removal::lost || record.why == removal::early;
    }
    // True if it was deleted by hand, or with a session that was closed by hand: G1's exception.
    [[nodiscard]] static bool forced(const znode_record& record) { return record.by_force; }
    [[nodiscard]] bool closed_by_hand(session_id session) const {
        return closed_by_hand_.contains(session);
    }
    [[nodiscard]] bool tampered(const std::string& folder) const {
        return tampered_.contains(folder);
    }
    // Its holder's lease must have ended: from here on deleting the znode is no force.
    void on_due(const std::string& znode) { due_.insert(znode); }
    [[nodiscard]] bool due(const std::string& znode) const { return due_.contains(znode); }
    // Returns the transaction by which an operator last wrote into this znode, which is no contender's; 0: none.
    [[nodiscard]] std::int64_t changed_by_hand(const std::string& znode) const {
        const auto found = changed_by_hand_.find(znode);
        return found == changed_by_hand_.end() ? 0 : found->second;
    }
    // Returns whether a create in this folder, or of the folder, was refused because of a quota.
    [[nodiscard]] bool over_quota(const std::string& folder) const {
        return over_quota_.contains(folder) ||
               over_quota_.contains(folder.substr(0, folder.rfind('/')));
    }
    // Returns whether an operator's order to release was written into it.
    [[nodiscard]] bool was_taken(const std::string& znode) const { return taken_.contains(znode); }
    // Returns the znode into which this requester's latest order was written; none: empty.
    [[nodiscard]] std::string ordered(const std::string& requester) const {
        const auto found = ordered_.find(requester);
        return found == ordered_.end() ? std::string{} : found->second;
    }
    // The permits of a semaphore, and the transaction that set them.
    struct limit {
        std::int64_t since = 0;
        std::int32_t permits = 0;
        bool open = false;  // no client has found out which holds exceed it
    };
    [[nodiscard]] const std::vector<limit>& limits(const std::string& folder) const;
    // Returns the largest limit that the semaphore ever had, including limits that the servers lost.
    [[nodiscard]] std::int32_t most_permits(const std::string& folder) const;

    // ---- the clients' side ----
    std::map<contender_key, contender_record> contenders;
    std::map<std::string, contender_key> tagged;
    // All grants, by folder.
    std::map<std::string, std::vector<std::pair<core::contender_kind, fencing_token>>> tokens;
    std::set<session_id> told_over;  // sessions whose clients know that they have ended

private:
    std::map<std::string, std::vector<znode_record>> contenders_;  // by folder, as created
    std::map<std::string, std::pair<std::string, std::size_t>> places_;
    std::vector<std::string> created_;
    std::vector<written> written_;
    std::map<std::string, std::map<std::int64_t, bool>>
        presences_;  // transactions at which persistent znodes appeared or disappeared
    std::optional<std::int64_t> lost_after_;
    std::optional<instant> lost_data_at_;
    std::uint64_t batches_ = 0;
    std::uint64_t creation_batches_ = 0;
    std::map<session_id, std::int64_t> closed_by_hand_;  // with their transaction
    std::set<std::string> tampered_;
    std::set<std::string> over_quota_;
    std::map<std::string, std::int64_t> changed_by_hand_;
    std::set<std::string> taken_;
    std::set<std::string> due_;
    std::map<std::string, std::string> ordered_;
    std::map<std::string, std::vector<limit>> limits_;
    std::map<std::string, std::int32_t> most_permits_;
};

}  // namespace turnstile::simulation
