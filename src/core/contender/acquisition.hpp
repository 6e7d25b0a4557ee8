// SPDX-License-Identifier: Apache-2.0
// acquisition: one attempt to get and hold a lock, from the call to the last trace of its znode.
//
// A pure value: events in, effects out (contender_effects.hpp); it calls nothing. It is in one of eight states
// (acquisition_states.hpp), and no other way leads from one to another than these:
//
// | state    | what is at the servers           | it asks for              | then      | when                           |
// |----------|----------------------------------|--------------------------|-----------|--------------------------------|
// | outside  | nothing of ours, or the folder's | the folder's parents, if | creating  | the create is sent             |
// |          | parents are being made           | they were missing; then  | over      | given up                       |
// |          |                                  | the create               | outside   | the session ended              |
// |          |                                  |                          | leaving   | the znode of a create that was |
// |          |                                  |                          |           | given up is found (leftover)   |
// | creating | a create is under way, and most  | nothing                  | queued    | it was carried out             |
// |          | often a list right behind it     |                          | first     | its number shows that none is  |
// |          |                                  |                          |           | ahead                          |
// |          |                                  |                          | leaving   | carried out, but given up      |
// |          |                                  |                          | unsure    | its answer was lost            |
// |          |                                  |                          | outside   | refused, not sent, session over|
// | unsure   | perhaps a znode of ours          | a write, a list, a look  | queued    | it is found                    |
// |          |                                  |                          | leaving   | found, but given up or unread  |
// |          |                                  |                          | outside   | not found, session over        |
// | queued   | our znode                        | a list; a watch on those | first     | no contender is ahead          |
// |          |                                  | ahead                    | leaving   | failed, cancelled, timed out   |
// |          |                                  |                          | outside   | znode deleted, session over    |
// | first    | our znode                        | the lock delay; a look   | held      | granted                        |
// |          |                                  | at itself                | queued    | another connection: its list   |
// |          |                                  |                          |           | decides                        |
// |          |                                  |                          | leaving   | failed, cancelled, timed out   |
// |          |                                  |                          | outside   | znode deleted, session over    |
// | held     | our znode                        | a watch on itself, and   | leaving   | released, or lost with its     |
// |          |                                  | on those behind; a new   |           | lease                          |
// |          |                                  | name                     | over      | znode deleted, session over    |
// | leaving  | our znode                        | its removal              | over      | removed, or session over       |
// | over     | nothing                          | nothing                  |           | `gone` has been told           |
//
// Time-out, cancel, interrupt, release, loss and close all come to `leaving` or `over`, and the acquisition outlives
// the caller that gave up on it. Before its znode stands it only notes that it was given up. A state goes as a whole:
// what it knew of its znode, of its connection and of its requests goes with it, and the watches are given back first.
// Each create has a GUID of its own in its name.
//
// Finding out (G8): a write that commits on the new connection keeps a late create of the old one from
// committing any more (the server answers it "session moved"); only then does a list show
// whether a child with our GUID is there; and it is ours only if its owner is this session. What the
// list does not show is given up, and looked for a while longer (abandoned_creates.hpp).
//
// docs/why/mutex.md argues each step. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/contender/acquisition_call.hpp"
#include "core/contender/acquisition_settings.hpp"
#include "core/contender/acquisition_states.hpp"
#include "core/contender/contender_session.hpp"
#include "core/contender/notice.hpp"
#include "core/contender/refusals.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class acquisition {
public:
    explicit acquisition(acquisition_settings settings) : settings_{std::move(settings)} {}
    // Of the znode of a create that had been given up: no caller waits for it, and it only leaves.
    [[nodiscard]] static acquisition leftover(const std::string& folder, const std::string& name);

    // ---- events in -----------------------------------------------------------------------
    void start(contender_session& c) { step(c); }
    void on_reply(contender_session& c, const reply& answer);
    void on_watch(contender_session& c, const watch_event& event);
    void on_attached(contender_session& c);
    void on_detached(contender_session& c);
    // The session is over at the servers, and its znodes with it.
    void on_epoch_end(contender_session& c, const error& why);
    // The lease ran out, was confirmed (something may be granted now), or is being confirmed, and another
    // client may have deleted our znode or written into it: watch it.
    void on_lease_end(contender_session& c, const error& why);
    void on_lease_confirmed(contender_session& c) { step(c); }
    void watch_own_znode(contender_session& c);
    // A check of our znode answered that it is not there, or that another client has written to it.
    void on_own_znode_gone(contender_session& c);
    void on_own_znode_changed(contender_session& c);
    // It waits for an event, which may be lost: see whether what it waits for has come to pass.
    void look_again(contender_session& c);
    // The time of delay_end() has come.
    void on_delay_end(contender_session& c);
    // A hold of a read-write lock goes on as one of another kind, in the same place (renaming.hpp).
    void rename(contender_session& c, contender_kind kind);
    // Give up: `why` is told to a caller that still waits; a holder asked for it and is told nothing.
    void leave(contender_session& c, const error& why);
    // Give up, and tell also a holder: the client closes, the credentials were refused.
    void revoke(contender_session& c, const error& why);
    // Goes on with what waited for the end of a commit.
    void proceed(contender_session& c) { step(c); }
    // What a commit found in our znode.
    void apply(contender_session& c, const reply& answer);
    void version_became(std::int32_t version) noexcept;

    // ---- state ---------------------------------------------------------------------------
    [[nodiscard]] bool holds() const noexcept { return is<state::held>(); }
    [[nodiscard]] bool waits() const noexcept;
    [[nodiscard]] bool over() const noexcept { return is<state::over>(); }
    // Its create is next, and nothing but the session keeps it from being sent.
    [[nodiscard]] bool waits_to_enter() const noexcept;
    // For the questions of state_queries.hpp; until the next event.
    [[nodiscard]] const acquisition_state& current() const noexcept { return state_; }
    // Goes on with the event of a watch, and with nothing else.
    [[nodiscard]] bool rests_on_events() const noexcept;
    // The bytes that its znode takes, or may come to take, in the transaction that would close the
    // session: from the call until nothing is left.
    [[nodiscard]] std::size_t owned_bytes() const { return over() ? 0 : bytes_as(kind()); }
    // The same of an acquisition that is not over, as one of this kind.
    [[nodiscard]] std::size_t bytes_as(contender_kind kind) const;
    [[nodiscard]] std::string znode() const;
    // Of those that a waiter waits for, as far as it knows.
    [[nodiscard]] std::optional<std::size_t> ahead() const noexcept;
    // As it was asked for, or was renamed to.
    [[nodiscard]] contender_kind kind() const noexcept;
    [[nodiscard]] const std::string& folder() const noexcept { return settings_.folder.str(); }
    [[nodiscard]] bool fails_with_session() const noexcept {
        return settings_.waiters == session_loss_policy::fail;
    }
    // Of its znode, as it wrote it.
    [[nodiscard]] std::string data() const { return contender_data(settings_); }

    friend bool operator==(const acquisition&, const acquisition&) = default;

private:
    template <class State>
    [[nodiscard]] bool is() const noexcept {
        return std::holds_alternative<State>(state_);
    }
    void step(contender_session& c);
    // One event of the state that it is in; what the state says is next is entered, and asks for what it needs.
    template <class Event>
    void handle(contender_session& c, Event&& event);
    // The same for one state only: in the others the event says nothing.
    template <class State, class Event>
    void handle_if(contender_session& c, Event&& event);
    // The only way from one state to another: one of the table above.
    void enter(acquisition_state&& next);

    acquisition_settings settings_;
    acquisition_facts facts_;
    acquisition_state state_;
};

}  // namespace turnstile::core
