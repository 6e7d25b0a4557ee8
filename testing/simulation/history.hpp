// SPDX-License-Identifier: Apache-2.0
// history: the facts of one simulated run, which no client can see: when each contender's znode existed, the results of
// each caller, and how long each grant is valid by its client's clock.
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

// The reason why a contender's znode was removed. The last two reasons are faults of the servers. `lost`: the servers
// forgot the znode with other data. `early`: the znode's session ended too soon, because the servers forgot the
// session's latest message or a clock was set.
enum class removal { none, by_owner, with_session, by_hand, after_order, lost, early };

// `late`: the server stopped while it created the znode. Meanwhile the client may have searched for the znode in vain,
// and continued without it.
enum class arrival { in_time, late };

struct znode_record {
    std::string folder;
    std::string znode;
    std::string data;  // identifies the contender (see `tag`)
    session_id session = 0;
    core::claim wants;
    std::int64_t created = 0;  // number of the transaction that created it
    // Number of the transaction that gave the contender its position. After a rename, it is smaller than `created`.
    std::int64_t place = 0;
    std::int64_t deleted = 0;
    arrival came = arrival::in_time;
    removal why = removal::none;
    // True: another client removed the znode, or an operator closed its session.
    bool by_force = false;
    instant deleted_at{};
    // The instant at which the servers lost the znode's deletion. From then on the znode existed again.
    std::optional<instant> returned_at;
    bool was_forced = false;  // true: another client or an operator had deleted it
    // True: the znode exists again although its client had removed it or its session had ended.
    bool was_given_up = false;
    // Sessions that a watch on the znode notified, except the session of the znode's owner.
    std::set<session_id> woken;
};

// Identifies a contender from its acquire on.
using contender_key = std::pair<client_id, core::contender_id>;
struct contender_record {
    std::string folder;
    core::claim wants;
    std::optional<std::int32_t> limit;  // limit of the semaphore, as the caller knows it
    bool once = false;
    bool enters_again = true;                  // true: enters again after its session ends
    std::optional<core::time_point> deadline;  // on the client's clock
    core::duration max_hold{};                 // zero: no limit
    bool granted = false;
    bool failed = false;
    bool cancelled = false;
    bool left = false;     // true: released, or given up by the caller
    bool at_risk = false;  // true: the caller was notified that the hold is at risk
    bool lost = false;
    bool gone = false;
    bool abandoned = false;  // true: the client closed before the servers answered

    // The next members describe the grant, and are set only if the contender was granted.
    std::string znode;
    fencing_token token;
    std::uint64_t epoch = 0;
    instant granted_at{};
    bool over = false;                                   // true: valid_until has passed
    core::time_point max_end = core::time_point::max();  // end by max_hold
    std::optional<instant> given_up_at;                  // when max_hold ended the hold
    std::optional<core::time_point> valid_until;  // on the client's clock, as the guard shows it

    [[nodiscard]] bool answered() const noexcept { return granted || failed; }
    [[nodiscard]] bool holds() const noexcept { return granted && !left && !lost; }
};

class history {
public:
    // Returns the text by which the data of a contender's znodes identify the contender.
    [[nodiscard]] static std::string tag(contender_key key);

    // ---- calls that record the servers' committed transactions, in order ----
    void on_created(const std::string& znode, const std::string& data, session_id session,
                    std::int64_t zxid, arrival came);
    void on_deleted(const std::string& znode, std::int64_t zxid, removal why, instant when);
    // The servers have lost all transactions after `kept`: created znodes are gone, and deleted znodes are back.
    // `answered`: a client knew of a lost change.
    void on_lost_data(std::int64_t kept, instant when, bool answered);
    // True if the servers have lost a change that a client knew.
    [[nodiscard]] bool has_lost_data() const noexcept { return lost_data_at_.has_value(); }
    // Returns the instant at which the servers last lost a change that a client may know.
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
        std::int64_t stamp = 0;  // the leader's time stamp, in ms
    };
    void on_written(written&& write) { written_.push_back(std::move(write)); }
    // Records that a persistent znode was created (`there`) or removed.
    void on_presence(const std::string& path, std::int64_t zxid, bool there);
    // Returns the zxid after which writes were lost, if any were lost since the last call.
    [[nodiscard]] std::optional<std::int64_t> take_lost() {
        return std::exchange(lost_after_, std::nullopt);
    }
    // Returns the data that transactions wrote since the last call.
    [[nodiscard]] std::vector<written> take_written() { return std::exchange(written_, {}); }

    // Returns true if the znode existed after this transaction. Works only for persistent znodes that were created
    // during the history.
    [[nodiscard]] bool stood(const std::string& path, std::int64_t zxid) const;

    // Counts transactions that create or remove several contenders.
    void on_multi(const core::multi_op& multi);
    [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }
    [[nodiscard]] std::uint64_t creation_batches() const noexcept { return creation_batches_; }

    // ---- queries ----
    [[nodiscard]] znode_record* find(const std::string& znode);
    // Returns the record of the znode. If a rename replaced the znode, returns the record of the new znode.
    [[nodiscard]] znode_record* in_place_of(const std::string& znode);
    [[nodiscard]] const std::vector<znode_record>& of(const std::string& folder) const;
    [[nodiscard]] std::vector<std::string> standing() const;  // existing znodes of contenders
    // Returns this contender's existing znode; null if there is none. Ignores late znodes (see `arrival`).
    [[nodiscard]] const znode_record* standing_of(contender_key key) const;
    [[nodiscard]] std::vector<std::string> take_created() { return std::exchange(created_, {}); }
    [[nodiscard]] static bool failed_by_servers(const znode_record& record) {
        return record.why == removal::lost || record.why == removal::early;
    }
    // True if an operator deleted the znode or closed its session. Promise G1 (no two valid holds of a lock) does not
    // cover these znodes.
    [[nodiscard]] static bool forced(const znode_record& record) { return record.by_force; }
    [[nodiscard]] bool closed_by_hand(session_id session) const {
        return closed_by_hand_.contains(session);
    }
    [[nodiscard]] bool tampered(const std::string& folder) const {
        return tampered_.contains(folder);
    }
    // Called when the lease of this znode's holder must have ended. The history does not treat a later deletion of the
    // znode as forced.
    void on_due(const std::string& znode) { due_.insert(znode); }
    [[nodiscard]] bool due(const std::string& znode) const { return due_.contains(znode); }
    // Returns the number of an operator's latest write into this znode; 0: none. The history records these writes only
    // for znodes that belong to no contender.
    [[nodiscard]] std::int64_t changed_by_hand(const std::string& znode) const {
        const auto found = changed_by_hand_.find(znode);
        return found == changed_by_hand_.end() ? 0 : found->second;
    }
    // True if the server refused, because of a quota, to create this folder or a znode in this folder.
    [[nodiscard]] bool over_quota(const std::string& folder) const {
        return over_quota_.contains(folder) ||
               over_quota_.contains(folder.substr(0, folder.rfind('/')));
    }
    // True if an operator has written into this znode that its holder must release the lock.
    [[nodiscard]] bool was_taken(const std::string& znode) const { return taken_.contains(znode); }
    // Returns the znode in which this operator (`requester`) last ordered the holder to release the lock; empty: none.
    [[nodiscard]] std::string ordered(const std::string& requester) const {
        const auto found = ordered_.find(requester);
        return found == ordered_.end() ? std::string{} : found->second;
    }
    // A limit of a semaphore, and the transaction that set it.
    struct limit {
        std::int64_t since = 0;
        std::int32_t permits = 0;
        bool open = false;  // true: no client knows yet which holds exceed it
    };
    [[nodiscard]] const std::vector<limit>& limits(const std::string& folder) const;
    // Returns the largest limit that the semaphore ever had, even if the servers lost it.
    [[nodiscard]] std::int32_t most_permits(const std::string& folder) const;

    // ---- data about the clients' calls ----
    std::map<contender_key, contender_record> contenders;
    std::map<std::string, contender_key> tagged;
    // Kind and token of each grant, by folder.
    std::map<std::string, std::vector<std::pair<core::claim_kind, fencing_token>>> tokens;
    std::set<session_id> told_over;  // sessions whose end their clients know

private:
    // Contenders' znodes by folder, in the order of creation.
    std::map<std::string, std::vector<znode_record>> contenders_;
    std::map<std::string, std::pair<std::string, std::size_t>> places_;
    std::vector<std::string> created_;
    std::vector<written> written_;
    std::map<std::string, std::map<std::int64_t, bool>>
        presences_;  // transactions that created or removed persistent znodes
    std::optional<std::int64_t> lost_after_;
    std::optional<instant> lost_data_at_;
    std::uint64_t batches_ = 0;
    std::uint64_t creation_batches_ = 0;
    // For each session that an operator closed, the transaction that closed it.
    std::map<session_id, std::int64_t> closed_by_hand_;
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
