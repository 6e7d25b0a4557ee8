// SPDX-License-Identifier: Apache-2.0
// The part of c_session that learns the role of the session's server and moves the session to the leader.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "base/random.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/c_session.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {
namespace {

// zoo_set_servers drops the connection if the new list lacks the current server. But it compares addresses without
// their ports, so it cannot distinguish servers on one machine. So it first gets a list with an address that no
// ensemble has: a loopback address, or the discard prefix (RFC 6666).
const char* decoy(const socket_address& current) noexcept {
    return current.storage.ss_family == AF_INET6 ? "100::1:1" : "127.254.254.254:1";
}

}  // namespace

void c_session::learn_role(std::uint64_t connection, const socket_address& server) {
    const auto still_there = [&]()
                                 REQUIRES(mutex_) { return usable() && connection_ == connection; };
    changed_.clear();
    {
        // This check comes after clear(), so a later change ends the questions below.
        const base::lock_guard lock{mutex_};
        if (!still_there()) return;
    }
    const server_answers told = ask(server);
    if (told.role == core::server_role::unknown) {
        log::write(log_level::debug, "{} does not give its role",
                   to_string(server, address_form::for_people));
    }
    const base::lock_guard lock{mutex_};
    if (still_there()) identify(told);
}

// Asks the server for its role and software. Asks for its pace only if the server relays to a leader, because a
// leader's pace does not matter.
server_answers c_session::ask(const socket_address& server) {
    server_answers told;
    if (server.length == 0) return told;
    const auto answer = ask_server(server, "srvr", changed_.fd(), k_role_limit);
    told.role = parse_role(answer);
    told.software = parse_software(answer);
    const bool relays =
        told.role == core::server_role::follower || told.role == core::server_role::observer;
    if (!relays || !settings_.learn_pace || pace_refused_) return told;
    const auto configuration = ask_server(server, "conf", changed_.fd(), k_role_limit);
    told.pace = parse_pace(configuration);
    pace_refused_ = configuration.find("whitelist") != std::string::npos;
    return told;
}

void c_session::identify(server_answers told) {
    if (told.software == server_software::unknown) told.software = software_;
    software_ = told.software;
    const bool examines = settings_.examine && !examined_;
    if (told.software == server_software::unknown && examines) return send_examination(told);
    send_witness(told);
}

// Sends the two requests of the examination: a `check` in a multi, and a create of a container. Both paths are below a
// znode that does not exist, so no server creates a znode and no server needs a permission. Some servers close the
// connection at an unknown request. `examined_` is set before, so that the session does not repeat the examination.
void c_session::send_examination(const server_answers& told) {
    auto chance = base::random::from_system();
    const std::string nowhere = "/turnstile-" + base::make_guid(chance) + "/x";
    examined_ = true;
    core::multi_op check;
    check.parts.emplace_back(core::check_op{nowhere});
    if (send_question(check, {}))
        send_question(core::create_op{nowhere, {}, core::create_mode::container}, told);
}

bool c_session::send_question(const core::operation& question,
                              const std::optional<server_answers>& told) {
    pending_request& p = pending_.add();
    p.owner = this;
    p.why = pending_request::purpose::examination;
    p.answer.connection = connection_;
    p.told = told;
    const bool sent = hand_over(handle_, question, {}, p) == ZOK;
    if (sent) {
        pending_.handed_over();
    } else {
        pending_.remove(p);
    }
    return sent;
}

// Judges the answers to the examination. ZooKeeper has containers since 3.5.3; other servers with its protocol lack
// them.
void c_session::examined(const core::reply& answer, const std::optional<server_answers>& told) {
    if (answer.outcome != core::outcome::answered) return;
    const bool knows = answer.error != core::server_error::unimplemented;
    if (!told) {
        if (!knows)
            log::write(log_level::error,
                       "{} does not support multi: no hold can be confirmed, and no commit works",
                       to_string(servers_));
        return;
    }
    server_answers found = *told;
    if (!knows) {
        found.software = server_software::another;
    } else if (core::proves_quorum(answer.error)) {
        found.software = server_software::zookeeper;
    }
    {
        const base::lock_guard lock{mutex_};
        software_ = found.software;
        examined_ = software_ != server_software::unknown;
    }
    role_witnessed(answer.connection, found);
}

void c_session::role_witnessed(std::uint64_t connection, const server_answers& told) {
    core::link_event event;
    bool warn = false;
    {
        const base::lock_guard lock{mutex_};
        if (connection != connection_ || !usable()) return;
        event.kind = core::link_kind::role_known;
        event.connection = connection;
        event.session_id = identity_.id;
        event.role = told.role;
        event.pace = told.pace;
        event.foreign = settings_.examine && told.software != server_software::zookeeper;
        warn = event.foreign && !std::exchange(warned_, true);
    }
    if (warn)
        log::write(log_level::warning,
                   "{}: the server does not say that it is Apache ZooKeeper, and lacks some of its "
                   "requests: how long holds are certain is an assumption",
                   to_string(servers_));
    deliver(std::move(event));
}

void c_session::seek_leader(std::uint64_t connection) {
    helper_.post([this, connection] { look_for_leader(connection); });
}

std::optional<way_to_leader> c_session::find_leader() const {
    const auto known = resolve_all(servers_);
    const auto leader =
        find_role(known.addresses, core::server_role::leader, changed_.fd(), k_role_limit);
    if (!leader) return std::nullopt;
    auto chance = base::random::from_system();
    return way_to(*leader, known, chance);
}

void c_session::look_for_leader(std::uint64_t connection) {
    changed_.clear();
    {
        const base::lock_guard lock{mutex_};
        if (!usable() || connection_ != connection) return;
    }
    auto found = find_leader();
    const base::lock_guard turn{turn_};
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        if (!usable() || connection_ != connection) return;
        if (found) {
            to_leader_ = std::move(found);
            phase_ = phase::moving;
            return move_when_idle();
        }
        event.kind = core::link_kind::leader_not_found;
        event.connection = connection;
        event.session_id = identity_.id;
    }
    deliver(std::move(event));
}

// Starts the move once no request is in progress: when the C client leaves a connection, it drops requests in progress
// without an answer.
void c_session::move_when_idle() {
    if (phase_ != phase::moving || pending_.with_client() > 0 || !to_leader_) return;
    helper_.post([this] { move_to_leader(); });
}

void c_session::move_to_leader() {
    auto taken = leave_for_leader();
    if (taken) await_arrival(std::move(*taken));
}

std::optional<way_to_leader> c_session::leave_for_leader() {
    const base::lock_guard turn{turn_};
    const socket_address current = connected_server();
    std::optional<way_to_leader> to;
    changed_.clear();  // before the check of closed_: close() sets both
    {
        const base::lock_guard lock{mutex_};
        // A length of 0 means that the connection has ended by itself. Its session event follows.
        if (phase_ != phase::moving || closed_ || !to_leader_ || current.length == 0)
            return std::nullopt;
        to = std::exchange(to_leader_, std::nullopt);
        to->from = current;
        listed_ = to->by_address ? to->addresses : 0;
    }
    log::write(log_level::debug, "moving to the leader, {}", to->hosts.front());
    tell_departure();
    reconnect(*to);
    return to;
}

// Reports `detached`. Does not call detach(), which would end the wait for the attach.
void c_session::tell_departure() {
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        phase_ = phase::detached;
        event.kind = core::link_kind::detached;
        event.connection = connection_;
        event.session_id = identity_.id;
    }
    deliver(std::move(event));
}

// Sets the list of servers in the C client. zoo_set_servers frees the old list under a lock, but the C client's I/O
// thread reads the list without that lock. It does so only after its connection has failed, and while it is attached
// read-only (handle_error, zookeeper_interest and ping_rw_server of 3.8.0; in 3.9.5 all but the second). So the list is
// set only while a connection exists or is being made, and never after a failure. A connection that fails in these
// microseconds remains a risk.
void c_session::reconnect(const way_to_leader& to) {
    const auto list = client_list(to.hosts);
    if (zoo_set_servers(handle_, decoy(to.from)) != ZOK ||
        zoo_set_servers(handle_, list.c_str()) != ZOK) {
        log::write(log_level::warning, "the C client does not accept {}", list);
    }
    // The I/O thread would notice the new list only at the end of its poll, up to a third of the timeout later. A
    // request wakes the thread, which sends it on the new connection.
    const base::lock_guard lock{mutex_};
    if (!closed_) send_witness({});
}

// Waits for the attach after a move. The C client itself skips a server that refuses the connection. For a server that
// does not answer it would wait two thirds of the timeout, so this function tries the next server earlier.
void c_session::await_arrival(way_to_leader taken) {
    pollfd change{changed_.fd(), POLLIN, 0};
    std::chrono::milliseconds limit{k_move_limit};
    {
        const base::lock_guard lock{mutex_};
        limit =
            std::min(limit, std::chrono::ceil<std::chrono::milliseconds>(timeout_ / k_move_part));
    }
    if (::poll(&change, 1, static_cast<int>(limit.count())) > 0) return;
    const base::lock_guard turn{turn_};
    {
        const base::lock_guard lock{mutex_};
        if (phase_ != phase::detached || closed_) return;
    }
    const int state = zoo_state(handle_);
    // The C client has kept the connection, so it reports no event.
    if (state == ZOO_CONNECTED_STATE) return attach(core::link_kind::attached);
    if (state != ZOO_CONNECTING_STATE && state != ZOO_ASSOCIATING_STATE) return;
    std::rotate(taken.hosts.begin(), taken.hosts.begin() + 1, taken.hosts.end());
    reconnect(taken);
}

// Replaces the addresses in the C client's list by names. Otherwise the C client would always try these addresses, even
// when another host has one of them later.
void c_session::list_names_alone() {
    if (tunnel_) return;  // the tunnel resolves the names
    std::size_t listed = 0;
    {
        const base::lock_guard lock{mutex_};
        listed = listed_;
        if (listed == 0) return;
    }
    // The C client blocks its I/O thread while it resolves names. So the list is replaced only if the names resolve
    // fast.
    const auto begun = boottime_clock::now();
    const auto here = to_string(connected_server(), address_form::for_c_client);
    bool stays = false;
    std::size_t found = 0;
    for (const auto& server : servers_.servers) {
        const auto addresses = resolve(server);
        if (addresses.empty()) return;
        found += addresses.size();
        for (const auto& address : addresses)
            stays = stays || to_string(address, address_form::for_c_client) == here;
    }
    // If the new list were longer, the C client might choose another server, at random and without a report.
    if (!stays || found > listed || boottime_clock::now() - begun > k_resolve_limit) return;
    {
        const base::lock_guard lock{mutex_};
        if (!usable() || connected_server().length == 0) return;
        listed_ = 0;
    }
    // The C client keeps its connection, because its server is in the list and the list does not become longer.
    zoo_set_servers(handle_, hosts_of(servers_, address_form::for_c_client).c_str());
}

}  // namespace turnstile::zookeeper
