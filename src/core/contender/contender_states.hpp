// SPDX-License-Identifier: Apache-2.0
// The states of a contender. Each has only the data that it needs. contender.hpp has the table of transitions.
//
// Every state handles the same events. `step` sends its next requests. `on_reply` handles the answer to one of its
// requests, `on_watch` a watch event. `leave` means that the caller gives up, `end_epoch` that the session has ended. A
// state never replaces itself: it names the next state through the call (contender_call.hpp) and returns.
//
// Included only by contender.hpp and the sources of the states. Thread safety: none, values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cold.hpp"
#include "core/contender/awaited_znodes.hpp"
#include "core/contender/consequence.hpp"
#include "core/contender/contender_ahead.hpp"
#include "core/contender/contender_effects.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/contender/contenders_watch.hpp"
#include "core/contender/lock_delay.hpp"
#include "core/contender/low_water_reading.hpp"
#include "core/contender/notice.hpp"
#include "core/contender/own_znode_watch.hpp"
#include "core/contender/parent_creation.hpp"
#include "core/contender/permit_reading.hpp"
#include "core/contender/renaming.hpp"
#include "core/contender/tie_order.hpp"
#include "core/queue/queue_rule.hpp"
#include "core/queue/revocation.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class contender_call;

namespace state {

// Data beside a list, where the names alone do not decide.
struct list_supplement {
    std::vector<std::string> children;  // kept while the list is not sufficient to decide
    tie_order ties;
    permit_reading permits;
    friend bool operator==(const list_supplement&, const list_supplement&) = default;
};

// ---- before the znode exists (state_entering.cpp) ---------------------------------------------

struct outside;

// The common part of outside, creating and unsure.
struct entering {
    base::cold<parent_creation> parents{};
    std::string guid{};     // the GUID of the latest create
    bool given_up = false;  // the caller has its answer: no znode may be left behind

    void leave(contender_call& call, const error& why);
    void end_epoch(contender_call& call, const error& why);
    // Returns the state `outside`, to begin again.
    [[nodiscard]] outside start_over();
    // Notifies a caller that still waits.
    void fail(contender_call& call, const error& why);
    friend bool operator==(const entering&, const entering&) = default;
};

// No znode of ours is at the servers, except the folder's parents.
struct outside : entering {
    void step(contender_call& call);
    void on_reply(contender_call& call, const reply& answer);
    void create(contender_call& call);
    void create_parents(contender_call& call);
    friend bool operator==(const outside&, const outside&) = default;
};

// A create is in progress, and a list right behind it. The list is omitted if the create's number is likely to show
// that no contender is ahead.
struct creating : entering {
    time_point asked_at{};
    pending_ticket sent{};
    pending_ticket listing{};
    base::cold<list_supplement> beside{};

    void step(contender_call& /*call*/) {}
    void on_reply(contender_call& call, const reply& answer);
    void on_created(contender_call& call, const reply& answer);
    void on_listed(contender_call& call, const reply& answer);
    void refuse(contender_call& call, const reply& answer);
    friend bool operator==(const creating&, const creating&) = default;
};

// The answer to the create was lost.
struct unsure : entering {
    time_point asked_at{};
    std::uint64_t verified_on = 0;  // the connection on which a write has committed since
    std::string name{};             // the child with our GUID
    pending_ticket verifying{};
    pending_ticket listing{};
    pending_ticket locating{};

    void step(contender_call& call);
    void on_reply(contender_call& call, const reply& answer);
    void on_verified(contender_call& call, const reply& answer);
    void look_for_guid(contender_call& call, const reply& answer);
    void on_located(contender_call& call, const reply& answer);
    void give_up_create(contender_call& call);
    friend bool operator==(const unsure&, const unsure&) = default;
};

// ---- while the znode exists (state_standing.cpp) ----------------------------------------------

// The common part of queued, first, held and leaving.
struct standing {
    std::string name{};
    contender_kind kind = contender_kind::lock;  // the kind that the name states
    bool ties = false;                           // another contender has the same number
    std::int32_t version = 0;
    std::int64_t czxid = 0;
    own_znode_watch own{};
    low_water_reading low_water{};
    base::cold<lock_delay> delay{};
    base::cold<renaming> rename{};
    // The request in its data, as it was read last.
    base::cold<std::optional<asked_to_release>> request{};

    [[nodiscard]] std::string path(const contender_call& call) const;
    // True if no contender with a lower or equal number can come any more.
    [[nodiscard]] bool is_ordered() const { return ordered_number().has_value(); }
    // The contender's number if is_ordered().
    [[nodiscard]] std::optional<std::int32_t> ordered_number() const;
    [[nodiscard]] marking_contender own_mark(const contender_call& call) const;
    [[nodiscard]] renamed_znode before_rename(const contender_call& call);
    void watch_own(contender_call& call);
    void apply_own(contender_call& call, const reply& answer);
    void apply_own_and_watch(contender_call& call, const reply& answer);
    // Stores what was read of the own data. Returns true for news: another version, or another request. The second test
    // is needed because servers that went on from older data can assign a version again, with another request.
    [[nodiscard]] bool take_note(std::int32_t read_version, const std::optional<revocation>& found);
    void give_back_own(contender_call& call);
    void step_renaming(contender_call& call);
    void take_new_name(contender_call& call);
    friend bool operator==(const standing&, const standing&) = default;
};

// The common part of queued and first: a caller waits (state_waiting.cpp).
struct waiting : standing {
    bool waited = false;  // another contender was in the way at this position
    // The connection of the list that gave the position; 0: out of date.
    std::uint64_t listed_on = 0;
    std::int64_t pzxid = 0;  // the latest change in the folder, from that list
    base::cold<list_supplement> beside{};

    // True if a list of this connection gave the position.
    [[nodiscard]] bool is_listed_on(std::uint64_t connection) const noexcept {
        return listed_on == connection;  // place: list_of_this_connection
    }
    // The consequence of an answer about our own znode, or of the data in it.
    [[nodiscard]] consequence read_own(contender_call& call, const reply& answer);
    [[nodiscard]] consequence read_data(contender_call& call, const reply& answer);
    // The session has ended: begins again, or notifies the caller.
    [[nodiscard]] outside after_session(contender_call& call, const error& why);
    friend bool operator==(const waiting&, const waiting&) = default;
};

struct first;

// Waits for its turn: lists the folder and watches the contenders ahead (state_queued.cpp).
struct queued : waiting {
    std::optional<std::uint32_t> ahead{};  // 0: none, from a list of an earlier connection
    pending_ticket listing{};
    awaited_znodes awaited{};
    base::cold<contender_ahead> seen_ahead{};  // set once it was read

    queued() = default;
    explicit queued(first&& from);

    void step(contender_call& call);
    void on_reply(contender_call& call, const reply& answer);
    void on_watch(contender_call& call, const watch_event& event);
    void leave(contender_call& call, const error& why);
    void end_epoch(contender_call& call, const error& why);
    void look_again(contender_call& call);
    void lose_znode(contender_call& call);
    void fail(contender_call& call, const error& why);
    void give_back(contender_call& call);
    void apply(contender_call& call, const reply& answer, const consequence& effect);
    void apply_data(contender_call& call, const reply& answer);

    [[nodiscard]] bool asks_for_place() const;
    void list(contender_call& call);
    void on_listed(contender_call& call, const reply& answer);
    void judge_kept(contender_call& call);
    void judge(contender_call& call, const std::vector<std::string>& children);
    void take_place(contender_call& call, const decision& judged);
    void wait_for(contender_call& call, const decision& judged);
    void change_places(contender_call& call, const decision& judged);
    void watch_one_by_one();
    void choose_watches(contender_call& call, const decision& judged);
    void probe(contender_call& call);
    void on_permits(contender_call& call, const reply& answer);
    void on_tied(contender_call& call, const reply& answer);
    void on_probed(contender_call& call, awaited_znode& probed, const reply& answer);
    void on_awaited(contender_call& call, awaited_znode& znode, const watch_event& event);
    void on_awaited_gone(contender_call& call, const std::string& gone, std::uint64_t connection);
    void on_low_water(contender_call& call, const reply& answer);
    void on_renamed(contender_call& call, const reply& answer);
    [[nodiscard]] bool may_be_handed_over(std::uint64_t connection) const;
    friend bool operator==(const queued&, const queued&) = default;
};

// No contender is ahead: waits for the lock delay, for the lease and for a get of the own znode, and is granted then
// (state_first.cpp).
struct first : waiting {
    first() = default;
    explicit first(queued&& from);

    void step(contender_call& call);
    void on_reply(contender_call& call, const reply& answer);
    void on_watch(contender_call& call, const watch_event& event);
    void leave(contender_call& call, const error& why);
    void end_epoch(contender_call& call, const error& why);
    void lose_znode(contender_call& call);
    void fail(contender_call& call, const error& why);
    void apply(contender_call& call, const reply& answer, const consequence& effect);
    void apply_data(contender_call& call, const reply& answer);

    void advance_delay(contender_call& call);
    void grant(contender_call& call);
    friend bool operator==(const first&, const first&) = default;
};

// The caller was notified of the grant (state_held.cpp).
struct held : standing {
    fencing_token token;
    // A semaphore's contender that has waited: contenders behind it do not know of its grant yet.
    bool unannounced = false;
    pending_ticket announcing;
    base::cold<contenders_watch> behind;

    held() = default;
    held(first&& from, fencing_token granted_with);

    void step(contender_call& call);
    void on_reply(contender_call& call, const reply& answer);
    void on_watch(contender_call& call, const watch_event& event);
    void leave(contender_call& call, const error& why);
    void end_epoch(contender_call& call, const error& why);
    void look_again(contender_call& call);
    void lose_znode(contender_call& call);
    // Ends the hold against the will of its caller, and notifies the caller of `why`.
    void revoke(contender_call& call, const error& why);
    void give_back(contender_call& call);

    void begin_rename(contender_call& call, contender_kind to);
    void on_renamed(contender_call& call, const reply& answer);
    void end_rename(contender_call& call, std::optional<error> refusal);
    void announce(contender_call& call);
    void on_announced(contender_call& call, const reply& answer);
    void on_contended(contender_call& call);
    void on_own_answer(contender_call& call, const reply& answer);
    void apply_data(contender_call& call, const reply& answer);
    friend bool operator==(const held&, const held&) = default;
};

// The contender has given up: it sends the removal again until the znode is gone (state_leaving.cpp).
struct leaving : standing {
    bool was_first = false;  // no contender was ahead
    bool was_held = false;
    bool may_act = false;  // its holder has lost it, and may not know that yet
    std::uint8_t refusals = 0;
    pending_ticket removing;
    awaited_znodes awaited;  // watches that must be given back
    base::cold<contenders_watch> behind;
    // Requests of the state before. Their answers matter only if they are lost.
    pending_ticket listing{};
    pending_ticket announcing;
    base::cold<permit_reading> permits;

    leaving() = default;
    explicit leaving(queued&& from);
    explicit leaving(first&& from);
    leaving(held&& from, bool holder_may_act);

    void step(contender_call& call);
    void on_reply(contender_call& call, const reply& answer);
    void on_watch(contender_call& call, const watch_event& event);
    void end_epoch(contender_call& call, const error& why);
    void lose_znode(contender_call& call);
    void give_back_and_end(contender_call& call);

    void tell_number(contender_call& call, contender_effects::number_step step) const;
    [[nodiscard]] bool takes_crash_mark() const;
    [[nodiscard]] bool raises_low_water_mark(const contender_call& call) const;
    [[nodiscard]] bool goes_with_others(const contender_call& call) const;
    [[nodiscard]] operation removal(const contender_call& call) const;
    [[nodiscard]] bool drop_refused_rest(contender_call& call, const reply& answer);
    void remove_with_others(contender_call& call);
    void on_removed(contender_call& call, const reply& answer);
    void on_listed(contender_call& call, const reply& answer);
    void on_announced(contender_call& call, const reply& answer);
    void on_renamed(contender_call& call, const reply& answer);
    void apply_data(contender_call& call, const reply& answer);
    void apply(contender_call& call, const reply& answer, const consequence& effect);
    friend bool operator==(const leaving&, const leaving&) = default;
};

// The znode is gone, and no request is in progress.
struct over {
    friend bool operator==(const over&, const over&) = default;
};

}  // namespace state

using contender_state = std::variant<state::outside, state::creating, state::unsure, state::queued,
                                     state::first, state::held, state::leaving, state::over>;

}  // namespace turnstile::core
