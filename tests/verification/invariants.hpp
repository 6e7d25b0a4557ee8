// SPDX-License-Identifier: Apache-2.0
// invariants: checks the contract (G1 to G8) with facts that no simulated client knows: the true time and the committed
// state. A broken promise throws a `violation` with the promise's name.
//
// | name | judged                                                                                 |
// |------|----------------------------------------------------------------------------------------|
// | G1   | No two grants of a lock are valid at once. A valid grant's znode exists, unless        |
// |      | another client or an operator removed it.                                              |
// | G2   | At some instant a granted contender's znode was the first of the existing znodes.      |
// | G3   | A deletion wakes at most one session other than the owner's.                           |
// | G4   | At the end no znode, watch, request or byte is left, and every call has ended.         |
// | G5   | A loss is reported when valid_until passes, and valid_until never moves back. A        |
// |      | removal by an operator is reported at the latest at the client's next regular check of |
// |      | the hold's znode. A session's states are reported in order. No session is lost while   |
// |      | the servers and the connection are healthy.                                            |
// | G6   | A later grant has a larger token.                                                      |
// | G7   | Waits end by their deadlines, an acquire that tries once does not wait, and timers do  |
// |      | not spin.                                                                              |
// | G8   | Each notice agrees with the committed state, and comes once and in order. A call fails |
// |      | only if the reason in its error is true.                                               |
// | M1   | max_hold: when a hold has lasted for this time on the holder's clock, its guard is no  |
// |      | longer valid, and the holder is notified.                                              |
// | M2   | max_hold: after that time the client removes the hold's znode and keeps its session.   |
// | D1   | Lock delay: no contender is granted before the delay has passed since a holder's znode |
// |      | was removed without a release.                                                         |
// | D2   | A low-water mark does not overwrite other clients' data in a lock's folder.            |
//
// Other classes check the promises of single recipes: recipe_judge.hpp (J, R, X, O), sharing_judge.hpp (S),
// composite_judge.hpp (several locks at once).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session_core.hpp"
#include "simulation/history.hpp"
#include "simulation/recorder.hpp"
#include "simulation/scenario.hpp"
#include "simulation/servers_view.hpp"

namespace turnstile::simulation {

class violation : public std::runtime_error {
public:
    violation(std::string invariant, const std::string& description)
        : std::runtime_error{description}, invariant_{std::move(invariant)} {}
    [[nodiscard]] const std::string& invariant() const noexcept { return invariant_; }

private:
    std::string invariant_;
};

[[noreturn]] void breach(const char* invariant, const std::string& description);

// Returns true if contenders of these kinds must not hold at the same time. For permits, judge_together() compares
// their sum with the limit.
[[nodiscard]] bool exclude(core::claim_kind a, core::claim_kind b);

class invariants final : public recorder {
public:
    invariants(const scenario& scenario, const agenda& future, history& truth,
               const servers_view& servers)
        : recorder{future, truth}, scenario_{scenario}, history_{truth}, servers_{servers} {}

    // ---- inputs ----
    void on_call(contender_key key, contender_record&& record) override;
    void on_given_up(contender_key key) override;
    void on_state(client_id client, const session_change& step) override;
    void on_notice(client_id client, const core::notice& notice) override;
    void on_step(client_id client) override;
    void on_crash(client_id client) override;
    void on_woken(client_id client, const std::string& znode) override;
    void on_spin(client_id client) override;
    void on_end(const std::string& left_over) override;

    void after_event() override;

    // ---- for classes that check recipes on these locks ----
    [[nodiscard]] bool healthy() const { return servers_.healthy(); }
    // Returns the instant since which no fault has affected this client's connection.
    [[nodiscard]] instant undisturbed_since(client_id client) const;
    // Returns the longest time from a request to its answer if no fault happens.
    [[nodiscard]] core::duration round_trip() const;
    // Returns the longest time until a client learns of an event at a single server. The client polls, in case the
    // server's notification is lost or late.
    [[nodiscard]] core::duration longest_unheard() const;

    // Returns true if the servers may have granted the holder's lock again: they lost data that the grant depends on,
    // or ended the session early, as their declared promises allow. Returns true only as long as the client's lease may
    // still run.
    [[nodiscard]] bool is_failed_by_servers(contender_key key, const znode_record& mine) const;
    // Returns true if the servers lost the deletion of this znode, so that it exists again, and the client has not
    // attached since.
    [[nodiscard]] bool is_back_unheard(client_id client, const znode_record& znode) const;

    // Violations on servers that do not promise exclusion.
    struct seen_broken {
        std::uint64_t double_holds = 0;      // pairs of valid guards that exclude each other
        std::uint64_t refused_by_token = 0;  // double holds whose earlier hold the token refuses
        // Pairs of valid guards whose later hold has the smaller token. Another client had removed the later hold's
        // znode, and the servers brought that znode back.
        std::uint64_t brought_back = 0;
    };
    [[nodiscard]] const seen_broken& broken() const noexcept { return broken_; }

private:
    void judge_before(contender_key key, const contender_record& record,
                      const core::notice& notice);
    void judge_recorded(contender_key key, contender_record& record, const core::notice& notice);
    void judge_own_znode(contender_key key, const std::string& znode);
    void judge_grant(contender_key key, contender_record& record);
    [[nodiscard]] bool may_lack_a_lease(const client_view& client) const;
    void judge_failure(contender_key key, const contender_record& record, const error& why) const;
    void judge_busy(contender_key key, const contender_record& record) const;
    void judge_renamed(contender_key key, const contender_record& record,
                       const core::renamed& renaming);
    void judge_gone(contender_key key, const contender_record& record);
    [[nodiscard]] bool counts_on(client_id client, session_id session) const;
    void judge_order(contender_key key, const contender_record& record,
                     const core::asked_to_release& order);
    // The next functions judge single kinds of locks (invariants_kinds.cpp).
    void judge_place(contender_key key, const znode_record& mine) const;
    void judge_delay(contender_key key, const contender_record& record);
    void judge_token(contender_key key, const contender_record& record, const znode_record& mine);
    void judge_together(contender_key key, const std::vector<contender_key>& others) const;
    [[nodiscard]] bool stands_alone(const contender_record& record) const;
    [[nodiscard]] bool was_taken(contender_key key) const;
    [[nodiscard]] bool at_counter_end(contender_key key) const;
    [[nodiscard]] bool exceeds(contender_key key, const contender_record& record) const;
    [[nodiscard]] bool may_wake_many(const znode_record& record) const;
    [[nodiscard]] bool stood_when_open(const znode_record& record) const;
    [[nodiscard]] bool has_room_unheard(session_id session, const znode_record& record) const;
    void judge_packets() const;
    [[nodiscard]] bool may_be_unknown(contender_key key, const znode_record& mine) const;
    [[nodiscard]] bool had_room(const znode_record& mine, bool wanted) const;
    [[nodiscard]] bool has_room_at(const znode_record& mine, std::int64_t at) const;
    void judge_low_water_marks();
    void judge_created();
    void judge_holds();
    // The next functions judge servers that lose data or whose clocks are set (invariants_servers.cpp).
    void judge_failed_by_servers(const std::vector<contender_key>& failed,
                                 const std::map<std::string, std::vector<contender_key>>& valid);
    void judge_double(contender_key failed, contender_key other);
    [[nodiscard]] bool goes_by_lost_data(client_id client) const;
    // Returns true for a single server that promises exclusion (G1): its clock is never set, and it loses no data.
    [[nodiscard]] bool keeps_its_clock() const;
    void judge_lost_session(client_id client) const;
    void judge_lease(const client_view& view) const;
    [[nodiscard]] std::string guard(contender_key key) const;
    void judge_end(contender_key key, const contender_record& record) const;
    void judge_removal(contender_key key, const znode_record& mine) const;
    void judge_deadlines();
    void judge_given_up();
    [[nodiscard]] bool slept_lately(const client_view& view) const;
    // The interval at which a holder checks its znode.
    [[nodiscard]] core::duration confirmation() const;

    struct seen_session {
        session_id session = 0;
        std::uint64_t epoch = 0;
        core::time_point valid_until{};
    };

    const scenario& scenario_;
    history& history_;
    const servers_view& servers_;
    std::map<client_id, seen_session> seen_;  // by client, after its latest step
    std::map<client_id, instant> connected_;  // instant of each client's latest attach
    std::int64_t low_water_judged_at_ = 0;    // latest judged transaction
    // Latest instant at which a server was without a majority.
    instant unhealthy_{};
    std::set<contender_key> waiting_;  // waiting contenders that have a deadline
    // Contenders whose time to hold or to wait has passed.
    std::set<contender_key> given_up_;
    seen_broken broken_;
    std::set<std::pair<contender_key, contender_key>> doubles_;
};

}  // namespace turnstile::simulation
