// SPDX-License-Identifier: Apache-2.0
// agenda: the planned events of a history (one simulated run), in the order of the simulation's true time. Events of
// the same instant keep the order of planning. The agenda is the whole future of a history, as plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "simulation/messages.hpp"

namespace turnstile::simulation {

// ---- events at the servers ------------------------------------------------------------------

struct at_server {
    connection_id connection{};
    client_message message;
};
struct server_notices {  // the server learns that the connection has ended
    connection_id connection{};
};
struct goes_on {  // resumes a server's thread that was stopped while it created a znode
    server_id server = 0;
    std::uint64_t life = 0;
    proposal create;
};
enum class direction { up, down };  // up: to the leader; down: to the follower
struct at_link_end {
    server_id follower = 0;
    direction way{};
    std::uint64_t link = 0;  // new each time a follower joins the leader
    link_message message;
    bool received = false;  // true: the server has received the message, so a cut cannot lose it
};
struct ping_round {
    std::uint64_t reign = 0;  // number of the leader
};
struct commit_due {
    std::uint64_t reign = 0;
};
// The leader's loop selects the session for expiry. From now on the session is doomed: the leader closes it later, and
// nothing can save it.
struct expiry_due {
    std::uint64_t reign = 0;
    session_id session = 0;
};
struct doomed_due {  // the leader's loop closes the doomed session
    std::uint64_t reign = 0;
    session_id session = 0;
};
struct gives_up {  // a server without its leader or its followers closes its connections
    server_id server = 0;
    std::uint64_t life = 0;
};
struct election {
    std::uint64_t reign = 0;
};
struct joins {
    server_id server = 0;
    std::uint64_t life = 0;
};

// ---- events at a single server (single_server.hpp) ---------------------------------------------

struct server_goes_on {};  // reads the messages that arrived during a stop
struct server_is_back {
    std::uint64_t life = 0;  // counts the server's starts
};
struct answer_due {  // the write is on the disk, so its answer is sent
    std::uint64_t life = 0;
    connection_id connection{};
    server_message message;
};

// ---- events at the clients ------------------------------------------------------------------

struct bell_rung {  // the server's wake-up arrives: it has events for the session
    connection_id connection{};
};
struct look_due {  // when the session itself may have to send a request
    client_id client = 0;
    std::uint64_t epoch = 0;
};
struct at_client {
    connection_id connection{};
    server_message message;
};
struct client_notices {
    connection_id connection{};
};
struct connect_due {
    client_id client = 0;
    std::uint64_t epoch = 0;
};
struct silence_due {  // when the client gives up a silent connection
    connection_id connection{};
};
struct role_learned {
    connection_id connection{};
    server_role role{};
};
struct leader_asked {  // the client requests each server's role
    connection_id connection{};
};
struct found_elsewhere {  // the client has found another path to the servers
    connection_id connection{};
};
struct leader_told {
    connection_id connection{};
    std::optional<server_id> leader;  // the server that claims to be the leader
};
struct inbox_due {  // the completion thread delivers the next event
    client_id client = 0;
};
// A session's handle delivers an event although the client has already closed the handle: the handle's thread had begun
// the delivery before.
struct late_event_due {
    client_id client = 0;
    std::uint64_t epoch = 0;
};
struct timer_due {
    client_id client = 0;
};
struct worker_due {
    client_id client = 0;
    std::size_t worker = 0;
    std::uint64_t serial = 0;
};
struct resumes {
    client_id client = 0;
};
struct close_due {  // close() waits no longer than this
    client_id client = 0;
};

// ---- events of all kinds --------------------------------------------------------------------

enum class fault {
    stall,
    follower_partition,
    leader_change,
    server_restart,
    client_partition,
    client_pause,
    client_crash,
    client_close,
    hand_delete,
    hand_set,
    hand_close,
    reap,
    take_away,
    resize,
    ask_to_go,
    all_give_up,
    hand_sweep,
    connection_limit,
    clock_stop,
    throttling,
    quota,
    wipe,
    server_clock_step,
    server_slew,
    server_refuses,
    remake,
};
inline constexpr std::size_t k_faults = 26;
struct fault_due {
    fault kind{};
    bool recurring = true;
    std::optional<std::size_t> victim;  // number of the client or server; empty: any
};
struct faults_stop {};
struct call_due {  // an action of the program that controls the world
    std::uint64_t call = 0;
};
struct settle_check {};

using planned_event =
    std::variant<at_server, server_notices, at_link_end, ping_round, commit_due, expiry_due,
                 gives_up, election, joins, at_client, client_notices, connect_due, silence_due,
                 role_learned, leader_asked, leader_told, found_elsewhere, inbox_due, timer_due,
                 worker_due, resumes, close_due, fault_due, faults_stop, call_due, settle_check,
                 late_event_due, goes_on, doomed_due, server_goes_on, server_is_back, answer_due,
                 bell_rung, look_due>;

class agenda {
public:
    [[nodiscard]] instant now() const noexcept { return now_; }
    // Plans an event. An event in the past happens now.
    void at(instant when, planned_event&& entry) {
        future_.emplace(std::pair{std::max(when, now_), planned_++}, std::move(entry));
    }
    void after(core::duration pause, planned_event&& entry) { at(now_ + pause, std::move(entry)); }
    [[nodiscard]] std::optional<instant> next_at() const {
        if (future_.empty()) return std::nullopt;
        return future_.begin()->first.first;
    }
    void advance(instant now) { now_ = std::max(now_, now); }
    [[nodiscard]] bool empty() const noexcept { return future_.empty(); }
    [[nodiscard]] planned_event next() {
        auto first = future_.extract(future_.begin());
        now_ = first.key().first;
        return std::move(first.mapped());
    }

private:
    instant now_{};
    std::uint64_t planned_ = 0;
    std::map<std::pair<instant, std::uint64_t>, planned_event> future_;
};

}  // namespace turnstile::simulation
