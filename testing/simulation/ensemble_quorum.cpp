// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "simulation/ensemble.hpp"

// Implements how servers of the ensemble become the leader or a follower, and the faults of leaders and followers.
namespace turnstile::simulation {

namespace {

// Probability that a server without a majority stops answering reads within a tick. Otherwise the server answers reads
// for up to sync_limit ticks. The three values apply to most histories, to histories with ambushes (faults right after
// an answer, see ensemble::ambush), and to histories of a search that tries to refute a lease rule (lease_hunt.hpp).
constexpr double k_soon = 0.6;
constexpr double k_soon_ambushed = 0.3;
constexpr double k_soon_hunted = 0.8;
constexpr double k_stops_follower = 0.3;
constexpr double k_stranded = 0.8;
constexpr double k_paused = 0.3;

}  // namespace

std::vector<server_id> ensemble::standing_as(standing how) const {
    std::vector<server_id> result;
    for (server_id id = 0; id != servers_.size(); ++id)
        if (servers_[id].stands == how) result.push_back(id);
    return result;
}

// ---- changes of leader ----------------------------------------------------------------------

void ensemble::start_looking(server_id at) {
    auto& here = servers_[at];
    here.stands = standing::looking;
    here.deposed = false;
    here.link = ++links_made_;
    ++here.life;
    here.touched.clear();
    detach_all(at);
    if (leader_) {
        plan_joining(at);
    } else {
        elect_if_possible();
    }
}

void ensemble::elect_if_possible() {
    if (standing_as(standing::looking).size() < majority()) return;
    agenda_.after(dice_.up_to(2 * scenario_.time.tick), election{reign_});
}

void ensemble::plan_joining(server_id at) {
    agenda_.after(dice_.up_to(4 * scenario_.time.tick), joins{at, servers_[at].life});
}

// Called when a server has lost the connections to the other servers. Plans when this server notices the loss and gives
// up: after a timeout of up to sync_limit ticks, or within a tick (as after a reset of its connection).
void ensemble::plan_giving_up(server_id at) {
    const auto tick = scenario_.time.tick;
    const auto most = tick * scenario_.time.sync_limit;
    // In a search for histories that refute a lease rule (lease_hunt.hpp), a deposed leader gives up late, when the
    // other servers already have a new leader.
    const bool hunting = scenario_.trial.hunting;
    const bool soon = hunting ? !servers_[at].deposed && dice_.chance(k_soon_hunted)
                              : dice_.chance(scenario_.ambush > 0 ? k_soon_ambushed : k_soon);
    const auto after = soon ? dice_.up_to(tick) : dice_.between(most / 2, most);
    agenda_.after(after, gives_up{at, servers_[at].life});
}

// The leader loses its role. Some of its uncommitted proposals may be lost. The next leader does not know by how much
// the sessions were extended.
void ensemble::depose(bool crash) {
    const auto old = *std::exchange(leader_, std::nullopt);
    ++reign_;
    proposed_.resize(dice_.from_to(0, proposed_.size()));
    watched_expiries_.clear();
    for (const auto id : standing_as(standing::following)) {
        servers_[id].stands = standing::isolated;
        servers_[id].link = ++links_made_;
        plan_giving_up(id);
    }
    if (crash) return start_looking(old);
    servers_[old].stands = standing::isolated;
    servers_[old].deposed = true;
    plan_giving_up(old);
}

void ensemble::on(const gives_up& event) {
    const auto& here = servers_[event.server];
    if (here.life != event.life || here.stands == standing::looking) return;
    trace_.note(agenda_.now(), [&] { return name(event.server) + " gives up"; });
    // This server has answered reads until now, although these answers do not prove that the sessions continue. From
    // now on, some of its clients reach no other server.
    if (scenario_.ambush > 0) cut_off_clients(event.server, k_stranded, {});
    start_looking(event.server);
}

void ensemble::on(const election& event) {
    if (event.reign != reign_ || leader_) return;
    const auto looking = standing_as(standing::looking);
    lead(dice_.pick(looking));
    for (const auto id : standing_as(standing::looking)) plan_joining(id);
}

void ensemble::on(const joins& event) {
    const auto& here = servers_[event.server];
    if (here.life != event.life || here.stands != standing::looking || !leader_) return;
    trace_.note(agenda_.now(), [&] { return name(event.server) + " follows"; });
    follow(event.server);
}

void ensemble::lead(server_id chosen) {
    trace_.note(agenda_.now(), [&] { return name(chosen) + " leads"; });
    catch_up(chosen);
    leader_ = chosen;
    ++reign_;
    servers_[chosen].stands = standing::leading;
    leader_stalled_until_ = agenda_.now();
    expiring_until_ = agenda_.now();
    tracker_ = session_tracker{scenario_.time.tick, scenario_.time.session_timeout};
    proposal begins;
    begins.kind = proposal::sort::new_leader;
    auto kept = std::exchange(proposed_, {});
    commit(std::move(begins));
    if (std::exchange(wiped_, false)) {
        kept.clear();
        forget_everything();
    }
    for (auto& proposal : kept) commit(std::move(proposal));
    for (const auto session : truth_.sessions()) {
        if (session == administrator_) continue;
        tracker_.track(session, agenda_.now());
        watch_expiry(session);
    }
    last_commit_ = agenda_.now();
    agenda_.after(scenario_.time.tick / 2, ping_round{reign_});
}

// Removes all data by requests of an operator, because the checks of a history allow for an operator's requests.
// Transaction numbers continue, so later tokens are still larger than earlier tokens.
void ensemble::forget_everything() {
    latest_forgotten_ = latest_;
    const auto by_hand = [this] {
        proposal write;
        write.session = administrator_;
        write.by_hand = true;
        return write;
    };
    for (const auto session : truth_.sessions()) {
        if (session == administrator_) continue;
        auto closed = by_hand();
        closed.kind = proposal::sort::close;
        closed.session = session;
        commit(std::move(closed));
    }
    // The servers start from a snapshot that has the locks' folders, so the folders stay.
    if (scenario_.folders_exist) return;
    std::vector<std::string> paths;
    for (const auto& [path, node] : truth_.nodes().nodes())
        if (path.starts_with("/locks")) paths.push_back(path);
    for (auto path = paths.rbegin(); path != paths.rend(); ++path) {  // children come first
        auto removed = by_hand();
        removed.op = core::remove_op{*path};
        commit(std::move(removed));
    }
}

void ensemble::follow(server_id at) {
    catch_up(at);
    auto& here = servers_[at];
    here.stands = standing::following;
    here.link = ++links_made_;
    here.up = {};
    here.down = {};
}

// ---- faults ---------------------------------------------------------------------------------

void ensemble::strike(const fault_due& event) {
    switch (event.kind) {
        case fault::stall: return stall(event.victim);
        case fault::follower_partition: return partition_follower(event.victim);
        case fault::leader_change: return lose_leader();
        case fault::server_restart: return restart_server();
        case fault::wipe: return wipe();
        default: return;  // faults that only single_server.hpp has
    }
}

// Stops the leader, a link or a follower for a while. Between two stalls there is time for a ping of the leader, so
// two stalls never add up to one longer stall.
void ensemble::stall(std::optional<server_id> before_cut_of) {
    const auto now = agenda_.now();
    const auto& time = scenario_.time;
    if (now < next_stall_ || !leader_ || time.longest_stall <= core::duration{}) return;
    const auto length = dice_.between(
        before_cut_of || dice_.chance(0.5) ? time.longest_stall * 9 / 10 : core::duration{},
        time.longest_stall);
    const auto until = now + length;
    next_stall_ = until + time.tick / 2 + 4 * time.server_latency;
    disturb(until);
    const auto followers = standing_as(standing::following);
    if (scenario_.trial.stops_followers && !followers.empty() && dice_.chance(k_stops_follower)) {
        const bool known = before_cut_of && servers_[*before_cut_of].stands == standing::following;
        return stop_follower(known ? *before_cut_of : dice_.pick(followers), length);
    }
    const auto where = followers.empty() || before_cut_of ? 0 : dice_.below(3);
    trace_.note(now, [&] { return "stall of sort " + std::to_string(where) + " begins"; });
    if (where == 0) {
        leader_stalled_until_ = until;
    } else {
        auto& victim = servers_[dice_.pick(followers)];
        (where == 1 ? victim.up : victim.down).stalled_until = until;
    }
    // At the end of a stall, the followers have not relayed most extensions of sessions, and the leader has unread
    // messages. A further fault does most harm at that time.
    if (before_cut_of || dice_.chance(0.5))
        agenda_.at(until, fault_due{fault::follower_partition, false, before_cut_of});
}

// Stops a follower. When it resumes, it serves its clients at once, and reads its leader's messages a little later
// (`deaf`). In half of the cases, the follower is cut off from its leader between these two times.
void ensemble::stop_follower(server_id victim, core::duration length) {
    auto& here = servers_[victim];
    const auto deaf = std::min(length, 4 * scenario_.time.server_latency);
    here.deaf_until = agenda_.now() + length;
    here.stopped_until = here.deaf_until - deaf;
    trace_.note(agenda_.now(), [&] { return name(victim) + " stands still"; });
    if (dice_.chance(0.5))
        agenda_.at(here.stopped_until + dice_.up_to(deaf),
                   fault_due{fault::follower_partition, false, victim});
}

void ensemble::partition_follower(std::optional<server_id> which) {
    const auto followers = standing_as(standing::following);
    if (!healthy() || followers.empty()) return;
    const auto victim = which && *which != leader_ ? *which : dice_.pick(followers);
    trace_.note(agenda_.now(), [&] { return name(victim) + " is cut off from its leader"; });
    servers_[victim].up.cut = true;
    servers_[victim].down.cut = !which && dice_.chance(0.5);
    plan_giving_up(victim);
    const bool hunting = scenario_.trial.hunting;
    // In histories with ambushes (faults right after an answer), more clients stay connected to a server that is cut
    // off from its leader.
    const bool stay = scenario_.ambush > 0 && !hunting;
    cut_off_clients(victim,
                    which  ? 1
                    : stay ? 0.1
                           : 0.5,
                    hunting ? scenario_.time.tick / 2 : scenario_.time.tick * 2);
}

// Cuts off the fraction `part` of the server's clients from all servers. These clients may still rely on earlier
// answers of this server, although the server never relayed the clients' messages to the leader.
void ensemble::cut_off_clients(server_id at, double part, core::duration within) {
    for (const auto& [session, by] : servers_[at].attached) {
        if (!dice_.chance(part)) continue;
        agenda_.after(dice_.up_to(within),
                      fault_due{fault::client_partition, false, network_.find(by)->client});
    }
}

bool ensemble::draw_ambush() {
    return scenario_.ambush > 0 && network_.faulty() && dice_.chance(scenario_.ambush);
}

// Plans a fault right after a server's answer, which is the worst time for a client that relies on the answer. Then the
// client's server relays nothing to the leader, or the client stops or is cut off. In each case nothing extends the
// session again.
void ensemble::ambush(server_id at, connection_id by) {
    if (leader_ != at && dice_.chance(0.5))
        return agenda_.after({}, fault_due{fault::stall, false, at});
    const auto client = network_.find(by)->client;
    // The client stops for about the length of its lease, and reads the answer when it resumes.
    if (dice_.chance(k_paused))
        return agenda_.after({}, fault_due{fault::client_pause, false, client});
    const auto& time = scenario_.time;
    const auto slowly = dice_.chance(0.5) ? time.slow_latency : core::duration{};
    agenda_.after(dice_.up_to(2 * time.client_latency + slowly),
                  fault_due{fault::client_partition, false, client});
}

void ensemble::lose_leader() {
    if (!healthy()) return;
    trace_.note(agenda_.now(), [&] { return name(*leader_) + " loses its followers"; });
    depose(servers_.size() == 1 || dice_.chance(0.5));
}

void ensemble::restart_server() {
    if (!healthy()) return;
    const auto victim = dice_.below(servers_.size());
    trace_.note(agenda_.now(), [&] { return name(victim) + " restarts"; });
    if (leader_ == victim) return depose(true);
    start_looking(victim);
}

void ensemble::wipe() {
    wiped_ = true;
    if (leader_) depose(true);
    for (server_id id = 0; id != servers_.size(); ++id)
        if (servers_[id].serves()) start_looking(id);
}

void ensemble::write_by_hand(core::operation&& op) {
    if (!leader_) return;
    proposal write;
    write.session = administrator_;
    write.op = std::move(op);
    write.by_hand = true;
    propose(std::move(write));
}

void ensemble::close_by_hand(session_id session) {
    if (!leader_) return;
    proposal closing;
    closing.kind = proposal::sort::close;
    closing.session = session;
    closing.by_hand = true;
    propose(std::move(closing));
}

void ensemble::reap() {
    if (!leader_) return;
    proposal reaping;
    reaping.kind = proposal::sort::reap;
    propose(std::move(reaping));
}

}  // namespace turnstile::simulation
