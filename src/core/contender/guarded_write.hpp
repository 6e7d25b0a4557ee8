// SPDX-License-Identifier: Apache-2.0
// guarded_writes: the commits of one hold, one after the other: each a multi that fails at the servers
// unless the hold's own znode stands unchanged.
//
// The multi *sets* the own znode, with the version v that it must have and with the data that it has,
// checks the znodes of further holds that the caller named, and then does the caller's parts (commit_plan.hpp). So it
// is applied at most once, it is not applied once the znode is gone or another client has written to it, and
// afterwards the znode has version v + 1.
//
// It is in one of six states, and no other way leads from one to another than these:
//
// | state     | meaning                               | then      | when                                          |
// |-----------|---------------------------------------|-----------|-----------------------------------------------|
// | idle      | nothing is under way                  | planning  | a commit waits whose plan is not drawn        |
// |           |                                       | sent      | a commit waits, and the znode is settled      |
// | planning  | what is there is being read           | idle      | it is known; or has to be read again; or the  |
// |           |                                       |           | hold is over                                  |
// | sent      | the multi is under way                | idle      | it was carried out, refused, or never sent    |
// |           |                                       | unsure    | the answer is lost                            |
// |           |                                       | overtaken | another client wrote before: nothing was done |
// | unsure    | whether it was applied is not known   | resolving | there is a connection                         |
// | resolving | a fence and a read are under way      | idle      | they tell                                     |
// |           |                                       | unsure    | they are lost, or the fence came to nothing   |
// | overtaken | v is not known, and read anew         | idle      | it is known; the commit is sent again, unless |
// |           |                                       |           | the hold has been taken away; or the znode is |
// |           |                                       |           | gone, or may not be read: the commit fails    |
//
// The end of the session leads from each of them to idle.
//
// Finding out (G8): the *fence* is a multi of two sets of the own znode, from v to v + 2. Whatever
// becomes of it and of the commit, at most one of them is ever applied, since both want v; a commit that
// is still on its way somewhere cannot follow a fence. The read behind it tells: v + 1 is the commit,
// v + 2 the fence. (What operators write into the znode has other data.) Then the commit was not applied and never will
// be, and it is sent again with v + 2 if the hold still stands. Where the znode is gone, has another client's data, may not be written any more, or
// went with its session the outcome stays unknown and is told as that (errc::outcome_unknown).
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

#include "core/contender/commit_queue.hpp"
#include "core/contender/write_effects.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

namespace write_state {

struct idle {
    friend bool operator==(const idle&, const idle&) = default;
};
struct planning {
    std::map<ticket, std::string> questions{};  // that are not answered: whether this path is there
    std::set<std::string> there{};              // of those that are answered
    friend bool operator==(const planning&, const planning&) = default;
};
struct sent {
    own_znode own{};  // as the commit wants it
    pending_ticket writing{};
    friend bool operator==(const sent&, const sent&) = default;
};
struct unsure {
    own_znode own{};
    friend bool operator==(const unsure&, const unsure&) = default;
};
struct resolving {
    own_znode own{};
    pending_ticket fencing{};
    pending_ticket reading{};
    bool may_not_fence = false;  // the znode may not be written any more
    friend bool operator==(const resolving&, const resolving&) = default;
};
struct overtaken {
    std::string path{};  // of the own znode
    pending_ticket reading{};
    friend bool operator==(const overtaken&, const overtaken&) = default;
};

}  // namespace write_state

class guarded_writes {
public:
    using effects = std::vector<write_effect>;

    // ---- events in: each adds to `out` what the session has to do -------------------------
    // `standing`: znodes of further holds, which have to stand when it is carried out.
    void add(commit_id commit, std::vector<write_part> parts, std::vector<std::string> standing,
             effects& out);
    // The caller gives up: told `why` if nothing has been applied for certain, else that the outcome is unknown.
    void cancel(commit_id commit, const error& why, effects& out);
    void on_reply(const session_view& session, const reply& answer, effects& out);
    // There is a connection, or a request that came to nothing may be sent again.
    void on_attached() noexcept { awaits_retry_ = false; }
    // The hold is lost: what was not sent is told `why`; what was is still found out about.
    void on_hold_over(const error& why, effects& out);
    // The session is over at the servers, and the znode with it.
    void on_epoch_end(const error& why, effects& out);
    // Sends the next request. For writes that wait: the session calls it after each event, once it has carried out the
    // event's effects, and `own` is the znode as it is then.
    void proceed(const own_znode& own, ticket_counter& tickets, effects& out);

    // ---- state ---------------------------------------------------------------------------
    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    // There is a connection and something to send, and nothing is under way.
    [[nodiscard]] bool waits(const session_view& session) const noexcept;

    friend bool operator==(const guarded_writes&, const guarded_writes&) = default;

private:
    using state = std::variant<write_state::idle, write_state::planning, write_state::sent,
                               write_state::unsure, write_state::resolving, write_state::overtaken>;

    template <class State>
    [[nodiscard]] bool is() const noexcept {
        return std::holds_alternative<State>(state_);
    }
    // The only way from one state to another: one of the table above.
    void enter(state&& next);
    void settle(std::int32_t version, effects& out);
    // The own znode comes by value, taken out of a state that ends before the step does.
    void become_unsure(const session_view& session, own_znode own, const reply& answer,
                       effects& out);
    void suspend(const session_view& session, const reply& answer, effects& out);

    // ---- what is sent ----
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
    // The servers may have applied the oldest commit, or may yet.
    [[nodiscard]] bool front_may_be_applied() const noexcept;
    [[nodiscard]] std::string own_path() const;
    void put_back(effects& out);
    void fail_unsent(const error& why, effects& out);

    state state_;
    commit_queue queue_;         // the first is under way, unless idle
    std::optional<error> over_;  // the hold is lost
    bool awaits_retry_ = false;
};

}  // namespace turnstile::core
