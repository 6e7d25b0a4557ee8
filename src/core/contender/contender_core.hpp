// SPDX-License-Identifier: Apache-2.0
// contender_core: one attempt to get and hold a lock, from the call until its znode is gone.
//
// A pure value: events go in, and effects come out (contender_effects.hpp). A contender calls nothing. It is in one of
// eight states (contender_states.hpp). This table has all transitions between the states:
//
// | state    | state at the servers           | requests                 | successor | reason for the change          |
// |----------|--------------------------------|--------------------------|-----------|--------------------------------|
// | outside  | nothing, or the folder's       | the folder's parents, if | creating  | the create is sent             |
// |          | parents, in creation           | they were missing; then  | over      | the caller gave up             |
// |          |                                | the create               | outside   | the session ended              |
// |          |                                |                          | leaving   | the znode of an abandoned      |
// |          |                                |                          |           | create is found (leftover)     |
// | creating | a create in progress; usually  | none                     | queued    | the create was carried out     |
// |          | a request (list) right behind  |                          | first     | the new znode's number shows   |
// |          |                                |                          |           | that no contender is ahead     |
// |          |                                |                          | leaving   | znode created, caller gave up  |
// |          |                                |                          | unsure    | the answer was lost            |
// |          |                                |                          | outside   | refused, not sent, session over|
// | unsure   | perhaps a znode of ours        | a write, a list, a get   | queued    | the znode is found             |
// |          |                                |                          | leaving   | znode found, but the caller    |
// |          |                                |                          |           | gave up, or we may not read it |
// |          |                                |                          | outside   | not found, session over        |
// | queued   | our znode                      | a list; watches on       | first     | no contender is ahead          |
// |          |                                | contenders ahead         | leaving   | failed, cancelled, timed out   |
// |          |                                |                          | outside   | znode deleted, session over    |
// | first    | our znode                      | the lock delay's reads   | held      | granted                        |
// |          |                                | and writes; a get of the | queued    | new connection, so a new list  |
// |          |                                | own znode                |           | must show contenders ahead     |
// |          |                                |                          | leaving   | failed, cancelled, timed out   |
// |          |                                |                          | outside   | znode deleted, session over    |
// | held     | our znode                      | a watch on the own znode | leaving   | released, revoked, lease ended |
// |          |                                | and on contenders behind;|           |                                |
// |          |                                | a rename                 | over      | znode deleted, session over    |
// | leaving  | our znode                      | the znode's removal      | over      | removed, or session over       |
// | over     | nothing                        | none                     |           | final; `gone` was reported     |
//
// Timeout, cancel, interrupt, release, loss and close all lead to `leaving` or `over`. The contender outlives a caller
// that has given up. Before its znode exists, the contender only notes that the caller has given up. When a state ends,
// the contender gives back the state's watches, and forgets all that it knew of its znode, its connection and its
// requests. Each create has a new GUID in its name.
//
// If the answer to a create was lost, the contender first commits a write on the new connection. After that write a
// late create of the old connection cannot commit any more: the server answers that create with "session moved". Only
// then does a list of the folder's children show whether a child with our GUID exists. The child is ours only if this
// session owns it. If the list does not show the child, the session searches for it for a while longer
// (abandoned_creates.hpp).
//
// docs/why/mutex.md argues each step. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/contender/contender_call.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/contender/contender_session.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/contender/contender_states.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class contender_core {
public:
    explicit contender_core(contender_settings settings) : settings_{std::move(settings)} {}
    // Returns a contender that only removes the znode `name`. No caller waits for this contender. The answer to an
    // earlier create of this session was lost, and the create made the znode later (abandoned_creates.hpp).
    [[nodiscard]] static contender_core leftover(const std::string& folder,
                                                 const std::string& name);

    // ---- events that the contender handles -----------------------------------------------
    void start(contender_session& c) { step(c); }
    void on_reply(contender_session& c, const reply& answer);
    void on_watch(contender_session& c, const watch_event& event);
    void on_attached(contender_session& c);
    void on_detached(contender_session& c);
    void on_epoch_end(contender_session& c, const error& why);
    // on_lease_end: called when the lease has run out. on_lease_confirmed: an answer extended the lease, so a grant may
    // be possible now. watch_own_znode: the session is about to send a confirmation (a check of one znode; its answer
    // extends the lease). The contender sets a watch on its own znode, which another client may have deleted or
    // changed.
    void on_lease_end(contender_session& c, const error& why);
    void on_lease_confirmed(contender_session& c) { step(c); }
    void watch_own_znode(contender_session& c);
    // Called when a confirmation has shown that our znode is gone, or that another client has written into it. A
    // confirmation is a write that checks our znode and extends the lease.
    void on_own_znode_gone(contender_session& c);
    void on_own_znode_changed(contender_session& c);
    // Called from time to time (contender_looks.cpp), because the servers may not send the event of the contender's
    // watch. The contender reads whether the change for which it waits has happened.
    void look_again(contender_session& c);
    // Called at the end of the lock delay: the instant that delay_end() of state_queries.hpp returned.
    void on_delay_end(contender_session& c);
    // Changes the kind of a hold of a read-write lock: renames the znode, which keeps its position (renaming.hpp).
    void rename(contender_session& c, claim_kind kind);
    // Called when the caller gives up its wait or releases its hold. A waiting caller is notified of `why`. A holder
    // requested the release itself, and is not notified.
    void leave(contender_session& c, const error& why);
    // Called when the client closes, or when the servers refused the credentials. Ends the contender, and notifies its
    // caller, even if the caller holds the lock.
    void revoke(contender_session& c, const error& why);
    // Continues with requests that had to wait for the end of a commit (guarded_write.hpp).
    void proceed(contender_session& c) { step(c); }
    // Handles the answer to a commit's read of our znode.
    void apply(contender_session& c, const reply& answer);
    void version_became(std::int32_t version) noexcept;

    // ---- state ---------------------------------------------------------------------------
    [[nodiscard]] bool holds() const noexcept { return is<state::held>(); }
    [[nodiscard]] bool waits() const noexcept;
    [[nodiscard]] bool over() const noexcept { return is<state::over>(); }
    // True if the contender must send its create next, and only waits until the session lets it enter
    // (contender_view::may_enter).
    [[nodiscard]] bool waits_to_enter() const noexcept;
    // Returns the state, for the functions of state_queries.hpp. The reference is valid until the next event.
    [[nodiscard]] const contender_state& current() const noexcept { return state_; }
    // True if the contender can continue only after the event of a watch.
    [[nodiscard]] bool rests_on_events() const noexcept;
    // Returns the bytes that the contender's znode takes, or may take later, in the transaction that closes the
    // session. Returns this number from the caller's call on, and zero after the contender has ended.
    [[nodiscard]] std::size_t owned_bytes() const { return over() ? 0 : bytes_as(kind()); }
    // Returns owned_bytes() for the case that the contender has this kind and has not ended.
    [[nodiscard]] std::size_t bytes_as(claim_kind kind) const;
    [[nodiscard]] std::string znode() const;
    // Returns the number of contenders for which a waiter waits; nothing if the number is unknown.
    [[nodiscard]] std::optional<std::size_t> ahead() const noexcept;
    // Returns the requested kind; after a rename, the new kind.
    [[nodiscard]] claim_kind kind() const noexcept;
    [[nodiscard]] const std::string& folder() const noexcept { return settings_.folder.str(); }
    [[nodiscard]] bool fails_with_session() const noexcept {
        return settings_.waiters == session_loss_policy::fail;
    }
    [[nodiscard]] std::string data() const { return contender_data(settings_); }

    friend bool operator==(const contender_core&, const contender_core&) = default;

private:
    template <class State>
    [[nodiscard]] bool is() const noexcept {
        return std::holds_alternative<State>(state_);
    }
    void step(contender_session& c);
    // Passes one event to the current state, enters the next state if there is one, and lets that state send its
    // requests.
    template <class Event>
    void handle(contender_session& c, Event&& event);
    template <class State, class Event>
    void handle_if(contender_session& c, Event&& event);
    // Changes the state, and checks the transition against the table in this file's first comment. No other function
    // changes the state.
    void enter(contender_state&& next);

    contender_settings settings_;
    contender_facts facts_;
    contender_state state_;
};

}  // namespace turnstile::core
