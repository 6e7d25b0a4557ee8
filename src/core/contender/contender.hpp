// SPDX-License-Identifier: Apache-2.0
// contender: one attempt to get and hold a lock, from the call until its znode is gone.
//
// A pure value: events in, effects out (contender_effects.hpp). It calls nothing. It is in one of eight states
// (contender_states.hpp), and this table has all transitions between them:
//
// | state    | at the servers                 | requests                 | then      | when                           |
// |----------|--------------------------------|--------------------------|-----------|--------------------------------|
// | outside  | nothing, or the folder's       | the folder's parents, if | creating  | the create is sent             |
// |          | parents, in creation           | they were missing; then  | over      | given up                       |
// |          |                                | the create               | outside   | the session ended              |
// |          |                                |                          | leaving   | the znode of an abandoned      |
// |          |                                |                          |           | create is found (leftover)     |
// | creating | a create in progress; usually  | none                     | queued    | the create was carried out     |
// |          | a list right behind it         |                          | first     | its number shows that none is  |
// |          |                                |                          |           | ahead                          |
// |          |                                |                          | leaving   | carried out, but given up      |
// |          |                                |                          | unsure    | the answer was lost            |
// |          |                                |                          | outside   | refused, not sent, session over|
// | unsure   | perhaps a znode of ours        | a write, a list, a get   | queued    | the znode is found             |
// |          |                                |                          | leaving   | found, but given up, or not    |
// |          |                                |                          |           | readable                       |
// |          |                                |                          | outside   | not found, session over        |
// | queued   | our znode                      | a list; watches on       | first     | no contender is ahead          |
// |          |                                | contenders ahead         | leaving   | failed, cancelled, timed out   |
// |          |                                |                          | outside   | znode deleted, session over    |
// | first    | our znode                      | the lock delay; a get of | held      | granted                        |
// |          |                                | the own znode            | queued    | another connection: a new list |
// |          |                                |                          |           | must decide                    |
// |          |                                |                          | leaving   | failed, cancelled, timed out   |
// |          |                                |                          | outside   | znode deleted, session over    |
// | held     | our znode                      | a watch on the own znode | leaving   | released, or lost with its     |
// |          |                                | and on contenders behind;|           | lease                          |
// |          |                                | a new name               | over      | znode deleted, session over    |
// | leaving  | our znode                      | the znode's removal      | over      | removed, or session over       |
// | over     | nothing                        | none                     |           | final; `gone` was reported     |
//
// Timeout, cancel, interrupt, release, loss and close all lead to `leaving` or `over`. The contender outlives a
// caller that has given up. Before its znode exists it only notes that the caller has given up. A state ends as a
// whole, with all that it knew of its znode, its connection and its requests; before that, it gives its watches back.
// Each create has a new GUID in its name.
//
// After a lost answer to a create (G8) the contender first commits a write on the new connection. After that write a
// late create of the old connection cannot commit any more: the server answers it "session moved". Only then does a
// list show whether a child with our GUID exists. The child is ours only if its owner is this session. A create that
// the list does not show is abandoned, and searched for a while longer (abandoned_creates.hpp).
//
// docs/why/mutex.md argues each step. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/contender/contender_call.hpp"
#include "core/contender/contender_session.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/contender/contender_states.hpp"
#include "core/contender/notice.hpp"
#include "core/contender/refusals.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class contender {
public:
    explicit contender(contender_settings settings) : settings_{std::move(settings)} {}
    // For the znode of an abandoned create: no caller waits for it, and the contender only leaves.
    [[nodiscard]] static contender leftover(const std::string& folder, const std::string& name);

    // ---- events in -----------------------------------------------------------------------
    void start(contender_session& c) { step(c); }
    void on_reply(contender_session& c, const reply& answer);
    void on_watch(contender_session& c, const watch_event& event);
    void on_attached(contender_session& c);
    void on_detached(contender_session& c);
    // The session has ended at the servers, and its znodes with it.
    void on_epoch_end(contender_session& c, const error& why);
    // on_lease_end: the lease ran out. on_lease_confirmed: it was confirmed, so a grant may be possible now.
    // watch_own_znode: a confirmation is about to be sent; another client may have deleted our znode or written into
    // it.
    void on_lease_end(contender_session& c, const error& why);
    void on_lease_confirmed(contender_session& c) { step(c); }
    void watch_own_znode(contender_session& c);
    // A check of our znode was answered: the znode is gone, or another client has written into it.
    void on_own_znode_gone(contender_session& c);
    void on_own_znode_changed(contender_session& c);
    // The contender waits for an event, which may be lost: reads whether the awaited change has happened.
    void look_again(contender_session& c);
    // The instant delay_end() has passed.
    void on_delay_end(contender_session& c);
    // A hold of a read-write lock becomes a hold of another kind at the same position (renaming.hpp).
    void rename(contender_session& c, contender_kind kind);
    // The caller gives up. A waiting caller is notified of `why`; a holder requested the release and is not notified.
    void leave(contender_session& c, const error& why);
    // Ends the contender and notifies a holder as well: the client closes, or the credentials were refused.
    void revoke(contender_session& c, const error& why);
    // Continues with requests that waited for the end of a commit.
    void proceed(contender_session& c) { step(c); }
    // A commit read our znode: handles its data.
    void apply(contender_session& c, const reply& answer);
    void version_became(std::int32_t version) noexcept;

    // ---- state ---------------------------------------------------------------------------
    [[nodiscard]] bool holds() const noexcept { return is<state::held>(); }
    [[nodiscard]] bool waits() const noexcept;
    [[nodiscard]] bool over() const noexcept { return is<state::over>(); }
    // True if the create is next, and only the session keeps it from being sent.
    [[nodiscard]] bool waits_to_enter() const noexcept;
    // For the functions of state_queries.hpp. Valid until the next event.
    [[nodiscard]] const contender_state& current() const noexcept { return state_; }
    // True if only the event of a watch makes the contender continue.
    [[nodiscard]] bool rests_on_events() const noexcept;
    // The bytes that its znode takes, or may take later, in the transaction that would close the session. Counted from
    // the call until the znode is gone.
    [[nodiscard]] std::size_t owned_bytes() const { return over() ? 0 : bytes_as(kind()); }
    // The value of owned_bytes() if the contender had this kind and had not ended.
    [[nodiscard]] std::size_t bytes_as(contender_kind kind) const;
    [[nodiscard]] std::string znode() const;
    // Number of contenders that a waiter waits for, as far as it is known.
    [[nodiscard]] std::optional<std::size_t> ahead() const noexcept;
    // The requested kind, or the kind after a rename.
    [[nodiscard]] contender_kind kind() const noexcept;
    [[nodiscard]] const std::string& folder() const noexcept { return settings_.folder.str(); }
    [[nodiscard]] bool fails_with_session() const noexcept {
        return settings_.waiters == session_loss_policy::fail;
    }
    // The data that it writes into its znode.
    [[nodiscard]] std::string data() const { return contender_data(settings_); }

    friend bool operator==(const contender&, const contender&) = default;

private:
    template <class State>
    [[nodiscard]] bool is() const noexcept {
        return std::holds_alternative<State>(state_);
    }
    void step(contender_session& c);
    // Passes one event to the current state, enters the next state if there is one, and lets it send its requests.
    template <class Event>
    void handle(contender_session& c, Event&& event);
    // Passes the event to the current state if it is a `State`. Any other state ignores the event.
    template <class State, class Event>
    void handle_if(contender_session& c, Event&& event);
    // The only function that changes the state; checks the transition against the table above.
    void enter(contender_state&& next);

    contender_settings settings_;
    contender_facts facts_;
    contender_state state_;
};

}  // namespace turnstile::core
