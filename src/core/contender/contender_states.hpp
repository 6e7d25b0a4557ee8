// SPDX-License-Identifier: Apache-2.0
// The states of a contender. Each state has only the data that it needs. contender_core.hpp has the table of
// transitions.
//
// Every state handles the same events. `step` sends the state's next requests. `on_reply` handles the answer to a
// request, and `on_watch` a watch event. `leave` handles a caller that gives up, and `end_epoch` the end of the
// session. A state never replaces itself: it passes the next state to the call (contender_call.hpp) and returns.
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cold.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_effects.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/contender/lock_delay.hpp"
#include "core/contender/notice.hpp"
#include "core/contender/parent_creation.hpp"
#include "core/contender/queue_readings.hpp"
#include "core/contender/renaming.hpp"
#include "core/contender/znode_watches.hpp"
#include "core/queue/queue_rule.hpp"
#include "core/queue/znode_texts.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class contender_call;

namespace state {

// Data that a contender needs in addition to the names of a folder's children: the order of children with equal
// numbers, and a semaphore's limit.
struct list_supplement {
    std::vector<std::string> children;  // kept until these data suffice to determine the position
    tie_order ties;
    permit_reading permits;
    friend bool operator==(const list_supplement&, const list_supplement&) = default;
};

// ---- before the znode exists (state_entering.cpp) ---------------------------------------------

struct outside;

// Common part of the states outside, creating and unsure.
struct entering {
    base::cold<parent_creation> parents{};
    std::string guid{};     // the GUID of the latest create
    bool given_up = false;  // the caller has its answer, so no znode may be left behind

    void leave(contender_call& call, const error& why);
    void end_epoch(contender_call& call, const error& why);
    [[nodiscard]] outside start_over();
    void fail(contender_call& call, const error& why);
    friend bool operator==(const entering&, const entering&) = default;
};

// The contender has no znode at the servers. It may be creating the folder and its parents.
struct outside : entering {
    void step(contender_call& call);
    void on_reply(contender_call& call, const reply& answer);
    void create(contender_call& call);
    void create_parents(contender_call& call);
    friend bool operator==(const outside&, const outside&) = default;
};

// The request to create the znode is in progress. Usually a request for the folder's children (list) is in progress,
// too. The contender omits this second request if the new znode's number will probably show that no contender is ahead.
struct creating : entering {
    time_point asked_at{};
    pending_ticket sent{};
    pending_ticket listing{};
    base::cold<list_supplement> beside{};

    void step(contender_call& /*call*/) {}
    void on_reply(contender_call& call, const reply& answer);
    void on_created(contender_call& call, const reply& answer);
    void refuse(contender_call& call, const reply& answer);
    friend bool operator==(const creating&, const creating&) = default;
};

// The answer to the request that creates our znode was lost.
struct unsure : entering {
    time_point asked_at{};
    std::uint64_t verified_on = 0;  // the connection on which a write has committed after the loss
    std::string name{};             // the child with our GUID, if an answer has shown it
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

// Common part of the states queued, first, held and leaving.
struct standing {
    std::string name{};
    claim_kind kind = claim_kind::lock;  // the kind that the znode's name states
    bool ties = false;                   // true: another contender has the same number
    std::int32_t version = 0;
    std::int64_t czxid = 0;
    own_znode_watch own{};
    low_water_reading low_water{};
    base::cold<lock_delay> delay{};
    base::cold<renaming> rename{};
    // An operator's request to release the lock, from the znode's data that the contender read last.
    base::cold<std::optional<asked_to_release>> request{};

    [[nodiscard]] std::string path(const contender_call& call) const;
    // True if our znode's position in the order is certain: no contender with our number or a lower number can come any
    // more.
    [[nodiscard]] bool is_ordered() const { return ordered_number().has_value(); }
    [[nodiscard]] std::optional<std::int32_t> ordered_number() const;
    [[nodiscard]] marking_contender own_mark(const contender_call& call) const;
    [[nodiscard]] renamed_znode before_rename(const contender_call& call);
    void watch_own(contender_call& call);
    void apply_own(contender_call& call, const reply& answer);
    void apply_own_and_watch(contender_call& call, const reply& answer);
    // Stores the version and the operator's request that were read from our znode. Returns true if the version or the
    // request is new. Compares the request as well, because servers that restart from older data may assign a known
    // version to another request.
    [[nodiscard]] bool take_note(std::int32_t read_version,
                                 const std::optional<revocation_text>& found);
    void give_back_own(contender_call& call);
    void step_renaming(contender_call& call);
    void take_new_name(contender_call& call);
    friend bool operator==(const standing&, const standing&) = default;
};

// Common part of the states queued and first, in which a caller waits (state_standing.cpp).
struct waiting : standing {
    bool waited = false;  // true: another contender was ahead at this position
    // Number of the connection on which a list of the folder's children showed the contender's position; 0: that list
    // is out of date.
    std::uint64_t listed_on = 0;
    std::int64_t pzxid = 0;  // the folder's latest change at the latest list of its children
    base::cold<list_supplement> beside{};

    [[nodiscard]] bool is_listed_on(std::uint64_t connection) const noexcept {
        return listed_on == connection;  // place: list_of_this_connection
    }
    // read_own() handles the answer to a request about our znode, read_data() the data in our znode. The result says
    // how the contender continues (answers.hpp).
    [[nodiscard]] consequence read_own(contender_call& call, const reply& answer);
    [[nodiscard]] consequence read_data(contender_call& call, const reply& answer);
    // Called when the session has ended. Returns the state `outside`, in which the contender enters its queue again. If
    // contender_settings::waiters is `fail`, notifies the caller instead, and the contender ends.
    [[nodiscard]] outside after_session(contender_call& call, const error& why);
    friend bool operator==(const waiting&, const waiting&) = default;
};

struct first;

// The contender waits in the queue: it lists the folder and watches the contenders ahead (state_queued.cpp).
struct queued : waiting {
    // The number of contenders ahead, by the latest list of the folder's children. 0: a list on an earlier connection
    // showed no contender ahead.
    std::optional<std::uint32_t> ahead{};
    pending_ticket listing{};
    awaited_znodes awaited{};
    base::cold<contender_ahead> seen_ahead{};  // set once the znode ahead was read

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

// No contender is ahead. Before the grant, the contender waits for the end of the lock delay, for a lease that lasts
// long enough, and for the answer to a get of our znode (state_first.cpp).
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

// The caller was notified of the grant, and holds the lock (state_held.cpp).
struct held : standing {
    fencing_token token;
    // For a semaphore's contender that had to wait: true until the contenders behind it know of its grant.
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
    // Ends the hold although the caller has not released it, and notifies the caller of `why`.
    void revoke(contender_call& call, const error& why);
    void give_back(contender_call& call);

    void begin_rename(contender_call& call, claim_kind to);
    void on_renamed(contender_call& call, const reply& answer);
    void end_rename(contender_call& call, std::optional<error> refusal);
    void announce(contender_call& call);
    void on_announced(contender_call& call, const reply& answer);
    void on_contended(contender_call& call);
    void on_own_answer(contender_call& call, const reply& answer);
    void apply_data(contender_call& call, const reply& answer);
    friend bool operator==(const held&, const held&) = default;
};

// The contender has given up. It sends the removal of its znode until the znode is gone (state_leaving.cpp).
struct leaving : standing {
    bool was_first = false;  // true: no contender was ahead
    bool was_held = false;
    bool may_act = false;  // true: the holder has lost its hold, and may not know that yet
    std::uint8_t refusals = 0;
    pending_ticket removing;
    awaited_znodes awaited;  // znodes from whose watches the contender must unregister
    base::cold<contenders_watch> behind;
    // Requests of the previous state. The contender ignores their answers, but must know if an answer is lost.
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
    void on_announced(contender_call& call, const reply& answer);
    void on_renamed(contender_call& call, const reply& answer);
    void apply_data(contender_call& call, const reply& answer);
    void apply(contender_call& call, const reply& answer, const consequence& effect);
    friend bool operator==(const leaving&, const leaving&) = default;
};

// The znode is gone, and the contender has no request in progress.
struct over {
    friend bool operator==(const over&, const over&) = default;
};

}  // namespace state

using contender_state = std::variant<state::outside, state::creating, state::unsure, state::queued,
                                     state::first, state::held, state::leaving, state::over>;

}  // namespace turnstile::core
