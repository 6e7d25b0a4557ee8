// SPDX-License-Identifier: Apache-2.0
// ensemble: the modelled servers: one standalone server, or a leader and its followers.
//
// The model has the behaviour of ZooKeeper 3.8 that affects a recipe:
//
// - Each server's replica applies the log at its own pace, and the server answers reads from the replica.
// - A client's message to the leader extends its session at once. A message to a follower extends it when the follower
//   answers the leader's next ping. A re-attach extends the session at the leader.
// - Requests of a broken connection may commit until a newer connection has written. They may commit even later if both
//   connections are to one server, because a thread of that server may have been stopped during a request.
// - The leader first selects an expired session, which is then *doomed*, and closes it later. Between these steps the
//   servers still answer the session. A new leader restarts all timeouts.
// - A server that lost its leader still answers reads for a while. Watches are at the server to which the session is
//   attached.
//
// For a hunt (lease_hunt.hpp: a search for histories that refute a wrong lease rule), the servers can treat a client's
// check-only multi as a sync, as if clients confirmed leases by syncs. The core never sends a sync.
//
// Not modelled: observers, read-only mode, ACLs, votes (any server that can lead may lead), and a leader that commits
// with a bare majority while a follower's disk is blocked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulation/agenda.hpp"
#include "simulation/dice.hpp"
#include "simulation/disturbances.hpp"
#include "simulation/history.hpp"
#include "simulation/network.hpp"
#include "simulation/scenario.hpp"
#include "simulation/server.hpp"
#include "simulation/servers_view.hpp"
#include "simulation/trace.hpp"
#include "simulation/truth_writer.hpp"

namespace turnstile::simulation {

class ensemble final : public servers_view {
public:
    ensemble(const scenario& scenario, agenda& future, dice& chance, network& links,
             disturbances& faults, history& truth, trace& story);

    void on(const at_server& event);
    void on(const server_notices& event);
    void on(const at_link_end& event);
    void on(const ping_round& event);
    void on(const commit_due& event);
    void on(const expiry_due& event);
    void on(const doomed_due& event);
    void on(const gives_up& event);
    void on(const election& event);
    void on(const joins& event);
    void on(const goes_on& event);

    // ---- faults ----
    void stall(std::optional<server_id> before_cut_of);
    void partition_follower(std::optional<server_id> which);
    void lose_leader();
    void restart_server();
    // Restarts all servers without data, or from a snapshot without sessions. A client that has a session has seen
    // newer data than the servers have, so no server accepts its session again.
    void wipe();
    void write_by_hand(core::operation&& op);
    void close_by_hand(session_id session);
    void reap();
    void use_up_quota(instant until) { quota_used_up_until_ = until; }
    // Executes a fault that affects the servers.
    void strike(const fault_due& event);
    // Called when another client asks for the end of expired sessions. Has no effect, because the leader ends sessions.
    void end_what_is_due() {}

    // ---- queries ----
    [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }
    [[nodiscard]] server_role role(server_id of) const;
    // Returns the leader, or a former leader that does not know the new leader yet.
    [[nodiscard]] std::optional<server_id> some_leader();
    [[nodiscard]] const local::tree& truth() const noexcept override { return truth_; }
    [[nodiscard]] std::size_t watch_count() const override;
    [[nodiscard]] bool healthy() const override;
    [[nodiscard]] instant expiring_until() const noexcept override { return expiring_until_; }
    [[nodiscard]] std::optional<instant> deadline(session_id session) const override {
        return leader_ ? tracker_.deadline(session) : std::nullopt;
    }
    [[nodiscard]] std::uint64_t refused_packets() const noexcept override {
        return refused_packets_;
    }
    [[nodiscard]] instant disturbed_until() const noexcept override { return disturbed_until_; }
    [[nodiscard]] std::string name(server_id of) const { return "server-" + std::to_string(of); }

private:
    // The next functions handle clients (ensemble.cpp).
    void attach(server_id at, connection_id by, const connect_request& request);
    void admit(server_id at, connection_id by, session_id session);
    [[nodiscard]] bool is_too_large(const client_message& message) const;
    void turn_away(server_id at, connection_id by, server_message&& why);
    void detach(server_id at, connection_id by);
    void detach_all(server_id at);
    void answer_from_head(server_id at, connection_id by);
    core::reply read(server& at, session_id session, const core::operation& op);
    void send_fired(server& at, const std::vector<local::fired_watch>& events, bool missed);
    [[nodiscard]] bool may_be_unheard(const local::fired_watch& watch) const;

    // The next functions handle the log (ensemble_log.cpp).
    void to_leader(server_id from, proposal&& proposal);
    void propose(proposal&& proposal);
    [[nodiscard]] std::int32_t creates_under_way(const proposal& newest) const;
    void commit(proposal&& proposal);
    enum class answering { yes, no };
    void apply(server_id at, const proposal& proposal, answering how);
    void answer(server_id at, const proposal& proposal, core::reply&& reply);
    void complete(server_id at, connection_id by, core::reply&& reply);
    void apply_to_truth(proposal& proposal);
    void end_connection(server_id at, session_id session);
    void catch_up(server_id at);
    void link_up(server_id from, link_message message);
    void link_down(server_id to, link_message message);
    void hear_up(server_id from, const link_message& message);
    void hear_down(server_id at, const link_message& message);
    void watch_expiry(session_id session);
    [[nodiscard]] core::duration until_closed(session_id session);

    // The next functions handle syncs (ensemble_sync.cpp).
    [[nodiscard]] bool taken_for_sync(const core::request* request) const;
    void sync(server_id at, connection_id by, client_message&& message);
    void on_sync_request(server_id from, connection_id by);

    // The next functions handle changes of the leader (ensemble_quorum.cpp).
    void start_looking(server_id at);
    void depose(bool crash);
    void lead(server_id chosen);
    void forget_everything();
    void follow(server_id at);
    void plan_giving_up(server_id at);
    void plan_joining(server_id at);
    void elect_if_possible();
    void cut_off_clients(server_id at, double part, core::duration within);
    [[nodiscard]] bool draw_ambush();
    void ambush(server_id at, connection_id by);
    void disturb(instant until) { disturbed_until_ = std::max(disturbed_until_, until); }
    [[nodiscard]] std::size_t majority() const noexcept { return servers_.size() / 2 + 1; }
    [[nodiscard]] std::vector<server_id> standing_as(standing how) const;
    [[nodiscard]] bool throws_away(const connection& by) const;
    [[nodiscard]] bool refuse_over_quota(const core::operation& op);
    [[nodiscard]] bool may_be_held_up(const core::operation& op) const;
    // A leader handles no messages during a stop. After the stop it handles due events (such as expired sessions)
    // first.
    [[nodiscard]] bool stalled(server_id at) const;
    [[nodiscard]] instant after_stall() const;
    void stop_follower(server_id victim, core::duration length);

    const scenario& scenario_;
    agenda& agenda_;
    dice& dice_;
    network& network_;
    disturbances& disturbances_;
    history& history_;
    trace& trace_;
    truth_writer writer_;

    std::vector<server> servers_;
    std::optional<server_id> leader_;
    std::uint64_t reign_ = 0;
    std::uint64_t links_made_ = 0;
    session_tracker tracker_;
    std::uint64_t refused_packets_ = 0;
    std::set<session_id> watched_expiries_;  // sessions with a planned expiry_due
    instant polled_{};                       // sessions that expired by this time are doomed
    // The leader's loop closes expired sessions until this time.
    instant expiring_until_{};
    instant leader_stalled_until_{};
    instant disturbed_until_{};
    instant quota_used_up_until_{};
    bool wiped_ = false;     // true: the data were wiped since the latest leader began
    session_id latest_ = 0;  // the latest session's id
    // The servers have forgotten this session and all earlier sessions.
    session_id latest_forgotten_ = 0;

    std::vector<proposal> log_;
    local::tree truth_;
    session_id administrator_ = 0;
    std::deque<proposal> proposed_;  // proposals in order, without the committed ones
    instant last_commit_{};
    instant next_stall_{};
};

}  // namespace turnstile::simulation
