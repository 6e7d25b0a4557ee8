// SPDX-License-Identifier: Apache-2.0
#include "verification/invariants.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_slack = 10ms;  // tolerance for a late timer

std::string name(contender_key key) {
    return history::tag(key);
}

double seconds(instant when) {
    return std::chrono::duration<double>{when.time_since_epoch()}.count();
}

}  // namespace

void breach(const char* name, const std::string& description) {
    throw violation{name, description};
}

// ---- notices --------------------------------------------------------------------------------

void invariants::on_call(contender_key key, contender_record&& record) {
    if (record.deadline) waiting_.insert(key);
    recorder::on_call(key, std::move(record));
}

void invariants::on_notice(client_id client, const core::notice& notice) {
    const contender_key key{client, notice.id};
    auto& record = history_.contenders.at(key);
    judge_before(key, record, notice);
    recorder::on_notice(client, notice);
    judge_recorded(key, record, notice);
    if (record.answered()) waiting_.erase(key);
}

// Compares a notice with the contender's earlier notices.
void invariants::judge_before(contender_key key, const contender_record& record,
                              const core::notice& notice) {
    if (record.gone) breach("G8", name(key) + " is told something after its end");
    if (record.once && std::holds_alternative<core::position_known>(notice.event))
        breach("G7", name(key) + " only tries, and waits");
    const auto* grant = std::get_if<core::granted>(&notice.event);
    if (grant != nullptr || std::holds_alternative<core::failed>(notice.event)) {
        if (record.answered()) breach("G8", name(key) + " is answered twice");
        if (grant != nullptr) judge_own_znode(key, grant->znode);
    } else if (std::holds_alternative<core::lost>(notice.event)) {
        if (!record.granted || record.lost)
            breach("G8", name(key) + " is told of the loss of what it does not hold");
    } else if (const auto* other = std::get_if<core::renamed>(&notice.event)) {
        judge_renamed(key, record, *other);
    } else if (const auto* order = std::get_if<core::asked_to_release>(&notice.event)) {
        judge_order(key, record, *order);
    } else if (std::holds_alternative<core::gone>(notice.event)) {
        if (!record.answered() || record.holds())
            breach("G8", name(key) + " is over without an answer");
    }
}

void invariants::judge_recorded(contender_key key, contender_record& record,
                                const core::notice& notice) {
    if (std::holds_alternative<core::granted>(notice.event)) {
        judge_grant(key, record);
    } else if (const auto* failure = std::get_if<core::failed>(&notice.event)) {
        judge_failure(key, record, failure->why);
    } else if (std::holds_alternative<core::lost>(notice.event)) {
        if (record.given_up_at) given_up_.insert(key);
    } else if (std::holds_alternative<core::gone>(notice.event)) {
        judge_gone(key, record);
    }
}

void invariants::judge_own_znode(contender_key key, const std::string& znode) {
    const auto* mine = history_.find(znode);
    if (mine == nullptr) breach("G8", name(key) + " is granted by a znode that never was");
    if (mine->data != name(key) || mine->session != client(key.first).core().session_id())
        breach("G8", name(key) + " is granted by a znode that is not its own, " + znode);
}

void invariants::judge_grant(contender_key key, contender_record& record) {
    const auto& holder = client(key.first);
    const auto& mine = *history_.find(record.znode);
    if (record.max_hold > core::duration{} && record.max_end - holder.local_now() > record.max_hold)
        breach("M1", name(key) + " is granted for longer than its max_hold");
    // With `heard_part`, a rule that the core does not know limits how long guards are valid. So the core may grant
    // when that time is over. Such a grant gives no valid guard, so it breaks no promise.
    if (holder.local_now() >= *record.valid_until && scenario_.trial.heard_part == 0)
        breach("G1", name(key) + " is granted when its lease is over");
    judge_place(key, mine);
    judge_delay(key, record);
    judge_token(key, record, mine);
}

// Returns true if a contender may fail with `lease_too_short`. This can happen to a client of a follower if the session
// timeout is hardly longer than the relay bound: the longest time until the leader learns of a message to the follower.
// It happens only to a client that does not search for the leader, or has not reached the leader yet. Returns false
// right after a pause of the client, before the client has read the servers' messages from the pause.
bool invariants::may_lack_a_lease(const client_view& client) const {
    using namespace std::chrono_literals;
    const auto timeout = scenario_.time.session_timeout;
    if (timeout * 3 / 4 > scenario_.rule.relay_bound) return false;
    const bool slept = client.latest_stop() > timeout * 6 / 10;
    if (slept && now() < client.awake_since() + timeout * 9 / 10) return false;
    const bool goes = scenario_.place != core::placement::anywhere && scenario_.roles_known;
    // The client reaches the leader at most this long after the last fault.
    const auto again = 2 * std::max<core::duration>(timeout, 5s);
    return !goes || now() < instant{} + scenario_.faults_last + again;
}

void invariants::judge_failure(contender_key key, const contender_record& record,
                               const error& why) const {
    const auto& client = this->client(key.first);
    const bool late = record.deadline && client.local_now() >= *record.deadline;
    const bool because = (why == errc::busy && record.once) || (why == errc::timeout && late) ||
                         (why == errc::not_connected && late) ||
                         (why == errc::cancelled && record.cancelled) ||
                         (why == errc::session_lost && !record.enters_again) ||
                         (why == errc::lease_too_short && may_lack_a_lease(client)) ||
                         (why == errc::revoked && was_taken(key)) ||
                         (why == errc::removed && record.wants.kind == core::claim_kind::upgrade) ||
                         (why == errc::too_many && at_counter_end(key)) ||
                         (why == errc::bad_option && exceeds(key, record)) ||
                         (why == errc::quota_exceeded && history_.over_quota(record.folder)) ||
                         (why == errc::closed && client.core().state() == session_state::closed);
    if (!because) breach("G8", name(key) + " fails without reason: " + why.message());
    // With a lock delay, the znode that marks an earlier holder's crash may also cause `busy`.
    if (why == errc::busy && scenario_.lock_delay == core::duration{}) judge_busy(key, record);
}

void invariants::judge_gone(contender_key key, const contender_record& record) {
    if (record.abandoned) return;
    const auto* left = history_.standing_of(key);
    if (left == nullptr || goes_by_lost_data(key.first) || is_back_unheard(key.first, *left))
        return;
    if (counts_on(key.first, left->session))
        breach("G8", name(key) + " is told that nothing is left, and " + left->znode + " stands");
}

// Returns true if the client still uses the session. The client replaces a session whose connections break too often,
// or whose znode it cannot remove. The replaced session then expires.
bool invariants::counts_on(client_id client, session_id session) const {
    return !history_.told_over.contains(session) &&
           this->client(client).core().session_id() == session;
}

// ---- state after each step ------------------------------------------------------------------

void invariants::on_step(client_id client) {
    const auto& view = this->client(client);
    if (scenario_.trial.judge_leases || keeps_its_clock()) judge_lease(view);
    const auto& core = view.core();
    const auto until = view.valid_until();
    auto& seen = seen_[client];
    if (seen.epoch == core.epoch() && until < seen.valid_until)
        breach("G5", fmt::format("the lease of client {} moves back", client));
    seen = {core.session_id(), core.epoch(), until};
    recorder::on_step(client);
    if (core.state() != session_state::suspended) return;
    for (const auto& key : holding())
        if (key.first == client && !history_.contenders.at(key).at_risk)
            breach("G5", name(key) + " is not told that its hold is at risk");
}

// An epoch (the life of one session of the client) ends with the state `lost`. The next epoch begins only after that.
void invariants::on_state(client_id client, const session_change& step) {
    const bool begins = step.to == session_state::connecting;
    const bool ends = step.to == session_state::lost;
    if ((begins && step.from != session_state::lost) ||
        (ends && step.from == session_state::connecting))
        breach("G5", fmt::format("client {} goes from {} to {}", client, to_string(step.from),
                                 to_string(step.to)));
    if (ends) judge_lost_session(client);
    if (step.to == session_state::connected) connected_[client] = now();
}

// Judges the loss of a session. A client must not lose it if the servers and the client's connection have been healthy
// for two session timeouts.
void invariants::judge_lost_session(client_id client) const {
    const auto timeout = scenario_.time.session_timeout;
    // In a hunt for counterexamples to the lease's rule (lease_hunt.hpp), the timeout may be so short that a client at
    // a follower has almost no lease.
    if (scenario_.trial.hunting || 8 * round_trip() > timeout) return;
    if (slept_lately(this->client(client))) return;
    const auto seen = seen_.find(client);
    if (seen == seen_.end() || history_.closed_by_hand(seen->second.session)) return;
    if (now() > undisturbed_since(client) + 2 * timeout)
        breach("G5", fmt::format("client {} loses its session while all is well", client));
}

// Checks the claim that docs/why/lease.md proves: the lease ends before the servers may expire the session. Checks the
// claim even while no contender holds.
void invariants::judge_lease(const client_view& view) const {
    const auto until = view.core().session_lease().valid_until();
    const auto deadline = servers_.deadline(view.core().session_id());
    if (until == core::time_point::min() || !deadline || *deadline >= view.true_time(until) - 1us)
        return;
    if (view.rests_on_a_stopped_clock()) return;
    breach("G1", fmt::format(
                     "the lease of session {} ends at {:.6f}, and its servers count to {:.6f}",
                     view.core().session_id(), seconds(view.true_time(until)), seconds(*deadline)));
}

void invariants::on_given_up(contender_key key) {
    if (!history_.contenders.at(key).answered())
        breach("G7", name(key) + " was cancelled and still waits");
}

void invariants::on_crash(client_id client) {
    recorder::on_crash(client);
    std::erase_if(waiting_, [client](const contender_key& key) { return key.first == client; });
}

void invariants::on_woken(client_id client, const std::string& znode) {
    auto* record = history_.find(znode);
    const auto session = this->client(client).core().session_id();
    if (record == nullptr || record->session == session) return;
    if (record->wants.kind == core::claim_kind::permit && has_room_unheard(session, *record))
        return;
    record->woken.insert(session);
    if (record->woken.size() > 1 && !may_wake_many(*record))
        breach("G3", "the deletion of " + znode + " wakes more than one session");
}

void invariants::on_spin(client_id client) {
    breach("G7", fmt::format("client {} runs a timer again and again at one instant", client));
}

void invariants::on_end(const std::string& left_over) {
    if (!left_over.empty()) breach("G4", left_over);
}

void invariants::after_event() {
    if (!servers_.healthy()) unhealthy_ = now();
    judge_created();
    judge_low_water_marks();
    judge_holds();
    judge_deadlines();
    judge_given_up();
    judge_packets();
}

// After a reconnect, a client sends its watches in packets, and a server closes the connection at a packet that is too
// long. The client would send the same packet again on each new connection. So a client whose watches fit into one
// packet must never send a packet that is too long.
void invariants::judge_packets() const {
    if (scenario_.packets_fit && servers_.refused_packets() != 0)
        breach("G4", "a client has more watches than a server takes in one packet");
}

void invariants::judge_created() {
    for (const auto& znode : history_.take_created()) {
        const auto& contender = *history_.find(znode);
        if (contender.came == arrival::late)
            continue;  // G4 judges whether the client removes this znode
        const auto tag = history_.tagged.find(contender.data);
        if (tag == history_.tagged.end()) {
            breach("G8", znode + " counts as a contender, and no client created it");
            continue;
        }
        const auto& key = tag->second;
        const auto& record = history_.contenders.at(key);
        if (record.gone && !record.abandoned && counts_on(key.first, contender.session))
            breach("G8",
                   contender.data + " was told that nothing is left, and " + znode + " appears");
    }
}

void invariants::judge_holds() {
    std::map<std::string, std::vector<contender_key>> valid;  // by the lock's folder
    std::vector<contender_key> failed;  // holds whose lock the servers may have granted again
    for (const auto& key : holding()) {
        auto& record = history_.contenders.at(key);
        const auto& mine = *history_.in_place_of(record.znode);
        if (mine.deleted != 0) judge_removal(key, mine);
        if (client(key.first).local_now() >= *record.valid_until) {
            record.over = true;
            judge_end(key, record);
            continue;
        }
        if (record.over) {
            if (scenario_.trial.heard_part > 0) continue;
            breach("G5", name(key) + " was over and is valid again");
        }
        if (history_.forced(mine) || stands_alone(record)) continue;
        if (client(key.first).rests_on_a_stopped_clock()) continue;
        if (is_failed_by_servers(key, mine)) {  // place: servers_that_fail_are_excused
            failed.push_back(key);
            continue;
        }
        if (mine.deleted != 0 && !scenario_.trial.judge_guards_only)
            breach("G1", name(key) + " is valid, and its znode " + mine.znode + " is gone");
        auto& others = valid[record.folder];
        judge_together(key, others);
        others.push_back(key);
    }
    judge_failed_by_servers(failed, valid);
}

// Describes the contender's guard. Converts the end of its validity from the client's clock to the true time.
std::string invariants::guard(contender_key key) const {
    const auto& record = history_.contenders.at(key);
    return fmt::format("{} (granted at {:.6f}, valid until {:.6f})", name(key),
                       seconds(record.granted_at),
                       seconds(client(key.first).true_time(*record.valid_until)));
}

bool invariants::slept_lately(const client_view& view) const {
    return !view.runs() || now() < view.awake_since() + k_slack;
}

core::duration invariants::round_trip() const {
    const auto& time = scenario_.time;
    return 2 * (time.client_latency + time.slow_latency) + 4 * time.server_latency +
           10 * time.disk_latency;
}

instant invariants::undisturbed_since(client_id client) const {
    return std::max(
        {this->client(client).undisturbed_since(), servers_.disturbed_until(), unhealthy_});
}

void invariants::judge_end(contender_key key, const contender_record& record) const {
    const auto& client = this->client(key.first);
    if (slept_lately(client) || scenario_.trial.heard_part > 0) return;
    if (client.local_now() <= *record.valid_until + k_slack) return;
    const bool by_its_limit = *record.valid_until == record.max_end;
    breach(by_its_limit ? "M1" : "G5", name(key) + " is not told that its hold is over");
}

void invariants::judge_removal(contender_key key, const znode_record& mine) const {
    const auto& client = this->client(key.first);
    if (mine.why != removal::by_hand || slept_lately(client) || !servers_.healthy()) return;
    const auto& record = history_.contenders.at(key);
    const auto time = 4 * confirmation() + 4 * round_trip();
    const auto since = std::max({mine.deleted_at, record.granted_at, undisturbed_since(key.first)});
    if (now() > since + time)
        breach("G5", name(key) + " is not told that " + mine.znode + " was removed by hand");
}

core::duration invariants::confirmation() const {
    return scenario_.confirm_every > core::duration{} ? scenario_.confirm_every
                                                      : scenario_.time.session_timeout / 5;
}

// Judges contenders whose time to hold or to wait has passed. The client must remove such a contender's znode. If the
// client gives up its session instead, the znode may stay until the servers expire the session, up to two ticks after
// its timeout. A new leader restarts the timeout, and a leader that is closing other expired sessions closes this
// session later.
void invariants::judge_given_up() {
    std::erase_if(given_up_, [this](const contender_key& key) {
        const auto& record = history_.contenders.at(key);
        const auto& mine = *history_.in_place_of(record.znode);
        if (mine.deleted != 0 || record.abandoned) return true;
        if (slept_lately(client(key.first)) || !servers_.healthy()) return false;
        const auto since = std::max(
            {*record.given_up_at, undisturbed_since(key.first), servers_.expiring_until()});
        const auto& time = scenario_.time;
        if (now() > since + time.session_timeout + 2 * time.tick + 4 * round_trip())
            breach("M2", name(key) + " was held too long, and its znode " + mine.znode + " stands");
        return false;
    });
}

void invariants::judge_deadlines() {
    for (const auto& key : waiting_) {
        const auto& client = this->client(key.first);
        if (slept_lately(client)) continue;
        if (client.local_now() > *history_.contenders.at(key).deadline + k_slack)
            breach("G7", name(key) + " waits beyond its deadline");
    }
}

}  // namespace turnstile::simulation
