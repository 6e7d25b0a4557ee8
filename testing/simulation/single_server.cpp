// SPDX-License-Identifier: Apache-2.0
#include "simulation/single_server.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "core/queue/permits.hpp"
#include "simulation/describe.hpp"

namespace turnstile::simulation {

namespace {

constexpr std::chrono::microseconds k_whole{2};  // servers' clocks show whole microseconds

using namespace std::chrono_literals;
using remainder = single_server_plan::remainder;

constexpr core::duration k_usual_disk = 5ms;
constexpr double k_slow_disk = 0.03;  // fraction of the writes that are slow
constexpr double k_throttled = 0.7;
constexpr std::int64_t k_million = 1'000'000;

}  // namespace

single_server::single_server(const scenario& scenario, agenda& future, dice& chance, network& links,
                             disturbances& faults, history& truth, trace& story)
    : scenario_{scenario},
      agenda_{future},
      dice_{chance},
      network_{links},
      disturbances_{faults},
      history_{truth},
      trace_{story},
      writer_{scenario, truth} {
    local::tree tree;
    administrator_ = prepare_tree(scenario, tree);
    if (scenario.folders_exist && !scenario.semaphore.empty())
        history_.on_limit(scenario.semaphore, {scenario.permits, scenario.permits}, 0);
    first_ = keyspace{scenario.kind, scenario.time.session_timeout, std::move(tree)};
    kept_ = safe_ = first_;
}

bool single_server::healthy() const {
    const auto now = agenda_.now();
    return up_ && now >= busy_until_ && (now >= read_only_until_ || !network_.faulty());
}

std::optional<instant> single_server::deadline(session_id session) const {
    const auto left = kept_.time_left(session, clock());
    if (!left) return std::nullopt;
    return agenda_.now() + *left - *left * scenario_.single.most_slew / k_million + k_whole;
}

bool single_server::waits_for_the_disk() const {
    return scenario_.single.leaves == remainder::all;
}

// ---- connections ----------------------------------------------------------------------------

void single_server::on(const at_server& event) {
    auto* by = network_.find(event.connection);
    if (by == nullptr || by->cut || !by->server_open) return;
    if (!up_ || network_.crowded(by->client)) return network_.close_by_server(event.connection);
    auto& here = peers_[event.connection];
    here.client = by->client;
    here.waiting.emplace_back(event.message);
    if (hold_up(event.connection, here.client)) {
        here.held_until = agenda_.now() + dice_.up_to(scenario_.time.session_timeout);
        agenda_.at(here.held_until, server_goes_on{});
    }
    read_what_has_come();
}

bool single_server::hold_up(connection_id by, client_id client) {
    if (scenario_.held_up <= 0 || !network_.faulty() || !dice_.chance(scenario_.held_up) ||
        !disturbances_.draw_strike([&] {
            return fmt::format(
                "a request of client {} is on its way for long, and its connection cut", client);
        }))
        return false;
    network_.cut(by);
    return true;
}

// The server still reads the messages that arrived before the break.
void single_server::on(const server_notices& event) {
    const auto found = peers_.find(event.connection);
    if (found == peers_.end()) {
        auto* by = network_.find(event.connection);
        if (by != nullptr && by->server_open) network_.close_by_server(event.connection);
        return;
    }
    found->second.waiting.emplace_back(hang_up{});
    read_what_has_come();
}

void single_server::hang_up_on(connection_id by) {
    const auto session = peers_.at(by).session;
    peers_.erase(by);
    const auto found = attached_.find(session);
    if (found != attached_.end() && found->second == by) attached_.erase(found);
    auto* on = network_.find(by);
    if (on != nullptr && on->server_open) network_.close_by_server(by);
}

void single_server::on(const server_goes_on& /*event*/) {
    goes_on_planned_ = false;
    read_what_has_come();
}

// Reads the connections in any order, and each connection's messages in order.
void single_server::read_what_has_come() {
    for (;;) {
        std::vector<connection_id> some;
        for (const auto& [by, each] : peers_)
            if (!each.waiting.empty() && agenda_.now() >= each.held_until) some.push_back(by);
        if (some.empty() || !up_) return;
        if (agenda_.now() < busy_until_) {
            if (!std::exchange(goes_on_planned_, true)) agenda_.at(busy_until_, server_goes_on{});
            return;
        }
        const auto by = some.size() == 1 ? some.front() : dice_.pick(some);
        auto& waiting = peers_.at(by).waiting;
        const auto next = std::move(waiting.front());
        waiting.pop_front();
        if (const auto* message = std::get_if<client_message>(&next)) {
            serve(by, *message);
        } else {
            hang_up_on(by);
        }
    }
}

// ---- requests -------------------------------------------------------------------------------

// Returns why the server refuses the message. A refused message has no effect.
std::optional<served::word> single_server::refuses(const peer& by, const client_message& message) {
    if (agenda_.now() < read_only_until_ && network_.faulty()) return served::word::away;
    const bool connects = std::holds_alternative<connect_request>(message);
    if (scenario_.kind == server_kind::redis && !connects && network_.throttled(by.client) &&
        dice_.chance(k_throttled))
        return served::word::throttled;
    return std::nullopt;
}

command single_server::command_of(const peer& by, const client_message& message) {
    command wanted;
    wanted.session = by.session;
    wanted.connection = by.attach;
    wanted.now = clock();
    wanted.server = life_ + 1;
    wanted.attempts = 1 + by.attempts;
    wanted.full = agenda_.now() < full_until_ && network_.faulty();
    if (const auto* request = std::get_if<core::request>(&message)) {
        wanted.request = request->op;
    } else if (const auto* connect = std::get_if<connect_request>(&message)) {
        wanted.request = *connect;
    } else if (const auto* drop = std::get_if<drop_watch>(&message)) {
        wanted.request = *drop;
    } else if (const auto* asked = std::get_if<look>(&message)) {
        wanted.request = *asked;
    } else {
        wanted.request = end_session{};
    }
    return wanted;
}

bool single_server::begin_again_for_another(peer& by) {
    const auto often = scenario_.single.retried;
    if (often <= 0 || !network_.faulty() || !dice_.chance(often) || !disturbances_.draw_strike([] {
            return "a transaction meets another one, and begins again";
        }))
        return false;
    ++by.attempts;
    by.held_until = agenda_.now() + dice_.up_to(scenario_.time.slow_latency);
    agenda_.at(by.held_until, server_goes_on{});
    return true;
}

void single_server::serve(connection_id by, const client_message& message) {
    auto& here = peers_.at(by);
    if (const auto refusal = refuses(here, message)) {
        trace_.note(agenda_.now(),
                    [&] { return fmt::format("the server refuses client {}", here.client); });
        served answer;
        answer.verdict = *refusal;
        return agenda_.at(on_disk_, answer_due{life_, by, std::move(answer)});
    }
    if (begin_again_for_another(here)) {
        here.waiting.emplace_front(message);
        return;
    }
    auto wanted = command_of(here, message);
    here.attempts = 0;
    auto done = carry_out(std::move(wanted));
    const bool attached = done.connection != 0;
    if (attached) {
        here.session = done.answer.session;
        here.attach = done.connection;
        attached_[here.session] = by;
    }
    const auto when = on_disk_;
    if (const auto* request = std::get_if<core::request>(&message); request && done.answer.reply)
        done.answer.reply->id = request->id;
    if (done.answer.reply) dice_.shuffle(done.answer.reply->children);
    agenda_.at(when, answer_due{life_, by, std::move(done.answer)});
}

command_outcome single_server::carry_out(command&& wanted) {
    auto done = kept_.carry_out(wanted);
    if (done.touched)
        touched_[done.connection != 0 ? done.answer.session : wanted.session] = agenda_.now();
    record(wanted, done);
    on_disk_ = when_on_disk();
    // Redis executes nothing else while it waits for the disk.
    if (scenario_.kind == server_kind::redis && waits_for_the_disk())
        busy_until_ = std::max(busy_until_, on_disk_);
    // place: answered_is_on_the_disk
    const auto safe = waits_for_the_disk() ? on_disk_ : agenda_.now() + scenario_.single.unsafe;
    journal_.push_back({std::move(wanted), safe});
    while (!journal_.empty() && journal_.front().safe <= agenda_.now()) {
        (void)safe_.carry_out(journal_.front().done);
        journal_.pop_front();
    }
    ring(done.told, on_disk_);
    return done;
}

// Returns when a write is on the disk. Commands reach the disk in the order of execution.
instant single_server::when_on_disk() {
    const auto earliest = std::max(on_disk_, agenda_.now());
    if (!waits_for_the_disk()) return earliest;
    const auto most = scenario_.time.disk_latency;
    if (network_.faulty() && most > k_usual_disk && dice_.chance(k_slow_disk) &&
        disturbances_.draw_strike([] { return "the disk is slow"; }))
        return earliest + dice_.up_to(most);
    return earliest + dice_.up_to(std::min(most, k_usual_disk));
}

void single_server::on(const answer_due& event) {
    if (event.life != life_) return;
    network_.to_client(event.connection, server_message{event.message});
}

// Wakes sessions that have events. A lost or late wake-up leaves the events at the server.
void single_server::ring(const std::vector<session_id>& told, instant when) {
    const auto& single = scenario_.single;
    for (const auto session : told) {
        const auto to = attached_.find(session);
        if (to == attached_.end()) continue;
        if (network_.faulty() && single.lost_bells > 0 && dice_.chance(single.lost_bells) &&
            disturbances_.draw_strike(
                [&] { return fmt::format("session {} is not told that it has events", session); }))
            continue;
        auto after = dice_.up_to(scenario_.time.client_latency);
        if (network_.faulty() && single.late_bells > 0 && dice_.chance(single.late_bells) &&
            disturbances_.draw_strike([] { return "a bell is late"; }))
            after = dice_.up_to(scenario_.time.session_timeout / 2);
        agenda_.at(when + after, bell_rung{to->second});
    }
}

// ---- records of ended sessions and of writes --------------------------------------------------

// Returns why a session ended. It ended early if the server's clock was set ahead, or if the server forgot the
// session's latest message.
removal single_server::why_ended(const ended_session& gone) const {
    if (!gone.due) return removal::with_session;
    const auto touched = touched_.find(gone.session);
    if (touched == touched_.end()) return removal::with_session;
    const auto timeout = scenario_.time.session_timeout;
    const auto certain = timeout - timeout * scenario_.single.most_slew / 1'000'000;
    // The session ended early even if only microseconds of its timeout are missing, because the clock of a replacing
    // server may be ahead by less than a millisecond.
    const bool early = agenda_.now() + k_whole < touched->second + certain;
    const bool set = was_set_ahead_ && agenda_.now() <= set_ahead_ + timeout;
    return early && (set || lost_data_) ? removal::early : removal::with_session;
}

void single_server::record(const command& wanted, const command_outcome& done) {
    const auto now = agenda_.now();
    for (const auto& gone : done.ended) {
        // An attach ends the session if its client knows a change that the server has lost.
        const bool forgotten = !gone.due && std::holds_alternative<connect_request>(wanted.request);
        const auto why = forgotten ? removal::lost : why_ended(gone);
        trace_.note(now, [&] {
            return fmt::format("commit {}: session {} ends{}", gone.zxid, gone.session,
                               why == removal::early ? ", early" : "");
        });
        if (std::holds_alternative<command::close_by_hand>(wanted.request))
            history_.on_closed_by_hand(gone.session, gone.zxid);
        for (const auto& path : gone.paths) history_.on_deleted(path, gone.zxid, why, now);
    }
    const auto* by_hand = std::get_if<command::by_hand>(&wanted.request);
    const auto* op = by_hand ? &by_hand->op : std::get_if<core::operation>(&wanted.request);
    if (op == nullptr || !done.answer.reply || !core::is_write(*op)) return;
    if (done.answer.reply->error == core::server_error::quota_exceeded) {
        const auto refused = [this](const auto& part) {
            if constexpr (std::is_same_v<std::decay_t<decltype(part)>, core::create_op>)
                history_.on_over_quota(part.path.substr(0, part.path.rfind('/')));
        };
        std::visit(refused, *op);
        if (const auto* multi = std::get_if<core::multi_op>(op))
            for (const auto& part : multi->parts) std::visit(refused, part);
        return;
    }
    trace_.note(now, [&] {
        return fmt::format("commit {} of session {}: {}", done.zxid, wanted.session, describe(*op));
    });
    const auto stamp = std::chrono::duration_cast<std::chrono::milliseconds>(wanted.now).count();
    const auto session = by_hand ? administrator_ : wanted.session;
    writer_.record({session, by_hand != nullptr, false, done.zxid, stamp, now}, *op,
                   *done.answer.reply);
}

}  // namespace turnstile::simulation
