// SPDX-License-Identifier: Apache-2.0
// invariants: the contract (G1 to G8), judged with what no client of a history knows: the true time
// and the committed state. Each breach is thrown as a `violation` with the promise's name.
//
// | name | judged                                                                       |
// |------|------------------------------------------------------------------------------|
// | G1   | no two valid grants on a lock; a valid grant's znode stands (unless removed by force) |
// | G2   | a grant's znode was the first of those that stood                              |
// | G3   | a deletion wakes at most one session other than the owner's                     |
// | G4   | at the end no znode, watch, request or byte is left; everything comes to an end |
// | G5   | loss is told when valid_until passes, which never moves back; a removal by hand  |
// |      | within a confirmation; states come in order; nothing is lost while all is well  |
// | G6   | tokens grow                                                                  |
// | G7   | waits end by their deadlines, a try does not wait, timers do not spin           |
// | G8   | what is told agrees with the committed state, is told once and in order; a      |
// |      | failure has its reason                                                          |
// | M1   | max_hold: the holder's guard is over, and it is told, when so much has passed by  |
// |      | its own clock since the grant                                                   |
// | M2   | max_hold: then its znode goes, though the session lives                          |
// | D1   | lock delay: no contender is granted before it has passed since a holder's znode  |
// |      | went without a release                                                          |
// | D2   | other clients' data in a lock's folder is not overwritten with a low-water mark  |
//
// Single recipes have their own: J, R, X and O in recipe_judge.hpp, S in sharing_judge.hpp, those of several
// locks at once in composite_judge.hpp.
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

// Whether two contenders may not hold at the same time. Permits are counted instead.
[[nodiscard]] bool exclude(core::contender_kind a, core::contender_kind b);

class invariants final : public recorder {
public:
    invariants(const scenario& scenario, const agenda& future, history& truth,
               const servers_view& servers)
        : recorder{future, truth}, scenario_{scenario}, history_{truth}, servers_{servers} {}

    // ---- what happened ----
    void on_call(acquisition_key key, acquisition_record&& record) override;
    void on_given_up(acquisition_key key) override;
    void on_state(client_id client, const session_change& step) override;
    void on_notice(client_id client, const core::notice& notice) override;
    void on_step(client_id client) override;
    void on_crash(client_id client) override;
    void on_woken(client_id client, const std::string& znode) override;
    void on_spin(client_id client) override;
    void on_end(const std::string& left_over) override;

    void after_event() override;

    // ---- for judges of what is built on these locks ----
    [[nodiscard]] bool healthy() const { return servers_.healthy(); }
    // Since when nothing has stood between this client and the servers.
    [[nodiscard]] instant undisturbed_since(client_id client) const;
    // A request and its answer, at most, while nothing is disturbed.
    [[nodiscard]] core::duration round_trip() const;
    // How long an event may wait at a single server when its bell is lost or late: until the session looks by itself.
    [[nodiscard]] core::duration longest_unheard() const;

    // Servers that promise no more have forgotten what its grant rests on, or have ended its session early: they may have
    // granted the lock again. True for as long as the lease may run of which they do not know.
    [[nodiscard]] bool is_failed_by_servers(acquisition_key key,
                                            const contender_record& mine) const;
    // Servers have forgotten that the znode was gone, and its client has had no word from them since.
    [[nodiscard]] bool is_back_unheard(client_id client, const contender_record& znode) const;

    // What servers that promise no more were seen to break.
    struct seen_broken {
        std::uint64_t double_holds = 0;  // two guards, both valid, of holds that exclude each other
        std::uint64_t refused_by_token = 0;  // of these, where the earlier one's token refuses it
        // And where the later one has the smaller token: a waiter that another client had removed, which the servers forgot.
        std::uint64_t brought_back = 0;
    };
    [[nodiscard]] const seen_broken& broken() const noexcept { return broken_; }

private:
    void judge_before(acquisition_key key, const acquisition_record& record,
                      const core::notice& notice);
    void judge_recorded(acquisition_key key, acquisition_record& record,
                        const core::notice& notice);
    void judge_own_znode(acquisition_key key, const std::string& znode);
    void judge_grant(acquisition_key key, acquisition_record& record);
    [[nodiscard]] bool may_lack_a_lease(const client_view& client) const;
    void judge_failure(acquisition_key key, const acquisition_record& record,
                       const error& why) const;
    void judge_busy(acquisition_key key, const acquisition_record& record) const;
    void judge_renamed(acquisition_key key, const acquisition_record& record,
                       const core::renamed& renaming);
    void judge_gone(acquisition_key key, const acquisition_record& record);
    [[nodiscard]] bool counts_on(client_id client, session_id session) const;
    void judge_order(acquisition_key key, const acquisition_record& record,
                     const core::asked_to_release& order);
    // Of each kind of lock (invariants_kinds.cpp).
    void judge_place(acquisition_key key, const contender_record& mine) const;
    void judge_delay(acquisition_key key, const acquisition_record& record);
    void judge_token(acquisition_key key, const acquisition_record& record,
                     const contender_record& mine);
    void judge_together(acquisition_key key, const std::vector<acquisition_key>& others) const;
    [[nodiscard]] bool stands_alone(const acquisition_record& record) const;
    [[nodiscard]] bool was_taken(acquisition_key key) const;
    [[nodiscard]] bool at_counter_end(acquisition_key key) const;
    [[nodiscard]] bool exceeds(acquisition_key key, const acquisition_record& record) const;
    [[nodiscard]] bool may_wake_many(const contender_record& record) const;
    [[nodiscard]] bool stood_when_open(const contender_record& record) const;
    [[nodiscard]] bool has_room_unheard(session_id session, const contender_record& record) const;
    void judge_packets() const;
    [[nodiscard]] bool may_be_unknown(acquisition_key key, const contender_record& mine) const;
    [[nodiscard]] bool had_room(const contender_record& mine, bool wanted) const;
    [[nodiscard]] bool has_room_at(const contender_record& mine, std::int64_t at) const;
    void judge_low_water_marks();
    void judge_created();
    void judge_holds();
    // Of servers that lose data, or whose clocks are set (invariants_servers.cpp).
    void judge_failed_by_servers(const std::vector<acquisition_key>& failed,
                                 const std::map<std::string, std::vector<acquisition_key>>& valid);
    void judge_double(acquisition_key failed, acquisition_key other);
    [[nodiscard]] bool goes_by_lost_data(client_id client) const;
    // A single server of which G1 is promised: its clock is slewed at most, and its data stay.
    [[nodiscard]] bool keeps_its_clock() const;
    void judge_lost_session(client_id client) const;
    void judge_lease(const client_view& view) const;
    [[nodiscard]] std::string guard(acquisition_key key) const;
    void judge_end(acquisition_key key, const acquisition_record& record) const;
    void judge_removal(acquisition_key key, const contender_record& mine) const;
    void judge_deadlines();
    void judge_given_up();
    [[nodiscard]] bool slept_lately(const client_view& view) const;
    [[nodiscard]] core::duration confirmation() const;  // the interval

    struct seen_session {
        session_id session = 0;
        std::uint64_t epoch = 0;
        core::time_point valid_until{};
    };

    const scenario& scenario_;
    history& history_;
    const servers_view& servers_;
    std::map<client_id, seen_session> seen_;  // after the latest step
    std::map<client_id, instant> connected_;  // when it was attached last
    std::int64_t low_water_judged_at_ = 0;    // the transaction
    instant unhealthy_{};                     // when a server was last without its majority
    std::set<acquisition_key> waiting_;       // with a deadline
    std::set<acquisition_key> given_up_;      // by a limit of their own
    seen_broken broken_;
    std::set<std::pair<acquisition_key, acquisition_key>> doubles_;
};

}  // namespace turnstile::simulation
