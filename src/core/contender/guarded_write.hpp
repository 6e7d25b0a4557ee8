// SPDX-License-Identifier: Apache-2.0
// guarded_writes: the commits of one hold, one after the other. Each commit is a multi (ZooKeeper's transaction) that
// fails at the servers if the hold's own znode is gone or was changed.
//
// The multi *sets* the own znode to its present data, and requires that the znode has the version v. Then it checks the
// znodes of the further holds that the caller named, and does the operations that the caller requested (commit_plan).
// So the multi is applied at most once. It is not applied if the znode is gone or another client has written into it.
// After the multi the znode has version v + 1.
//
// A guarded_writes is in one of six states. The table has all transitions:
//
// | state     | meaning                               | successor | reason for the change                         |
// |-----------|---------------------------------------|-----------|-----------------------------------------------|
// | idle      | no request is in progress             | planning  | a commit waits, and has no plan yet           |
// |           |                                       | sent      | a commit waits, and the hold is not about to  |
// |           |                                       |           | write its own znode                           |
// | planning  | reads of the commit's znodes are in   | idle      | the reads are answered, or must be sent       |
// |           | progress                              |           | again, or the hold has ended                  |
// | sent      | the multi is in progress              | idle      | it was carried out, refused, or never sent    |
// |           |                                       | in_doubt  | the answer is lost                            |
// |           |                                       | overtaken | another client wrote first; nothing was done  |
// | in_doubt  | the multi may have been applied       | resolving | there is a connection                         |
// | resolving | a fence and a read are in progress    | idle      | the read shows the outcome                    |
// |           |                                       | in_doubt  | the answers are lost, or the fence failed     |
// | overtaken | v is unknown, and is read again       | idle      | v was read: the commit is sent again; or the  |
// |           |                                       |           | commit fails, because an operator ended the   |
// |           |                                       |           | hold, or the znode is gone or unreadable      |
//
// The end of the session leads from each state to idle.
//
// If the answer to a commit's multi is lost, the *fence* follows: another multi, of two sets of the own znode, which
// changes the version from v to v + 2. The servers apply at most one of the two multis, since both require v. So once
// the servers have applied the fence, the commit's multi fails. The read that is sent after the fence shows the
// outcome. If the version is v + 1, the servers have applied the commit's multi, and the commit has succeeded. If the
// version is v + 2, they have applied the fence, and the commit is sent in a new multi that requires v + 2, provided
// that the hold still exists. The outcome stays unknown (errc::outcome_unknown) if the znode is gone, has another
// client's data, may not be written any more, or ended with its session.
//
// A pure value. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/contender/answers.hpp"
#include "core/contender/commit_queue.hpp"
#include "core/contender/contender_effects.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

namespace write_state {

struct idle {
    friend bool operator==(const idle&, const idle&) = default;
};
struct planning {
    std::map<ticket, std::string> questions{};  // unanswered questions: does this path exist?
    std::set<std::string> there{};              // the paths that exist, from the answered questions
    friend bool operator==(const planning&, const planning&) = default;
};
struct sent {
    own_znode own{};  // the hold's znode before the commit
    pending_ticket writing{};
    friend bool operator==(const sent&, const sent&) = default;
};
struct in_doubt {
    own_znode own{};
    friend bool operator==(const in_doubt&, const in_doubt&) = default;
};
struct resolving {
    own_znode own{};
    pending_ticket fencing{};
    pending_ticket reading{};
    bool may_not_fence = false;  // the znode may not be written any more
    friend bool operator==(const resolving&, const resolving&) = default;
};
struct overtaken {
    std::string path{};
    pending_ticket reading{};
    friend bool operator==(const overtaken&, const overtaken&) = default;
};

}  // namespace write_state

class guarded_writes {
public:
    using effects = std::vector<write_effect>;

    // ---- events; each function adds effects for the session to `out` ----------------------
    // `further`: znodes of further holds, which must exist when the commit is carried out.
    void add(commit_id commit, std::vector<write_part> parts, std::vector<std::string> further,
             effects& out);
    // The caller gives up. The caller gets `why` if the commit has certainly not been applied, and outcome_unknown
    // otherwise.
    void cancel(commit_id commit, const error& why, effects& out);
    void on_reply(const session_view& session, const reply& answer, effects& out);
    // Called when there is a connection, or when a request that failed may be sent again.
    void on_attached() noexcept { awaits_retry_ = false; }
    // Called when the hold is lost. Commits that were not sent end with `why`. If a commit was sent, further requests
    // still find out its outcome.
    void on_hold_over(const error& why, effects& out);
    // Called when the session has ended at the servers. The hold's znode ended with the session.
    void on_epoch_end(const error& why, effects& out);
    // Sends the next request for the commits that wait. The session calls it after each event, once it has executed the
    // event's effects. `own` is the hold's znode at that time.
    void proceed(const own_znode& own, ticket_counter& tickets, effects& out);

    // ---- state ---------------------------------------------------------------------------
    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    // True if there is a connection and something to send, and no request is in progress.
    [[nodiscard]] bool waits(const session_view& session) const noexcept;

    friend bool operator==(const guarded_writes&, const guarded_writes&) = default;

private:
    using state =
        std::variant<write_state::idle, write_state::planning, write_state::sent,
                     write_state::in_doubt, write_state::resolving, write_state::overtaken>;

    template <class State>
    [[nodiscard]] bool is() const noexcept {
        return std::holds_alternative<State>(state_);
    }
    // Changes the state, and checks the transition against the table in this file's first comment. No other function
    // changes the state.
    void enter(state&& next);
    void settle(std::int32_t version, effects& out);
    // Takes `own` by value, because the state that contained it ends before this function returns.
    void become_in_doubt(const session_view& session, own_znode own, const reply& answer,
                         effects& out);
    void suspend(const session_view& session, const reply& answer, effects& out);

    // ---- requests ----
    void plan(ticket_counter& tickets, effects& out);
    void send(const own_znode& own, ticket_counter& tickets, effects& out);
    void resolve(own_znode own, ticket_counter& tickets, effects& out);

    // ---- answers ----
    void on_planned(const session_view& session, const std::string& path, const reply& answer,
                    effects& out);
    void on_written(const session_view& session, own_znode own, const reply& answer, effects& out);
    void on_refused(const session_view& session, own_znode own, const reply& answer, effects& out);
    void on_part_refused(std::size_t index, server_error why, effects& out);
    void on_read(const session_view& session, write_state::resolving resolved, const reply& answer,
                 effects& out);
    void on_looked(const session_view& session, const std::string& path, const reply& answer,
                   effects& out);

    // ---- the end of a commit ----
    // True if the servers may have applied the oldest commit, or may apply it later.
    [[nodiscard]] bool front_may_be_applied() const noexcept;
    [[nodiscard]] std::string own_path() const;
    void put_back(effects& out);
    void fail_unsent(const error& why, effects& out);

    state state_;
    commit_queue queue_;         // the first is in progress, unless idle
    std::optional<error> over_;  // set when the hold is lost
    bool awaits_retry_ = false;
};

}  // namespace turnstile::core
