// SPDX-License-Identifier: Apache-2.0
#include "simulation/world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "simulation/describe.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr int k_looks = 8;

template <class E, class... All>
inline constexpr bool is_one_of = (std::is_same_v<E, All> || ...);

}  // namespace

world::world(scenario&& scenario, std::uint64_t dice_seed,
             std::optional<disturbances::numbers> only, trace::detail wanted)
    : scenario_{std::move(scenario)},
      dice_{dice_seed},
      trace_{wanted},
      disturbances_{agenda_, trace_, std::move(only)},
      network_{scenario_, agenda_, dice_, disturbances_},
      servers_(make_servers()),
      plain_recorder_{agenda_, history_} {}

std::variant<ensemble, single_server> world::make_servers() {
    using either = std::variant<ensemble, single_server>;
    if (scenario_.kind == server_kind::ensemble)
        return either{std::in_place_type<ensemble>,
                      scenario_,
                      agenda_,
                      dice_,
                      network_,
                      disturbances_,
                      history_,
                      trace_};
    return either{std::in_place_type<single_server>,
                  scenario_,
                  agenda_,
                  dice_,
                  network_,
                  disturbances_,
                  history_,
                  trace_};
}

const servers_view& world::servers() const noexcept {
    return std::visit([](const auto& all) -> const servers_view& { return all; }, servers_);
}

void world::observed_by(recorder& records, recipe_observer& recipes) {
    records_ = &records;
    recipes_ = &recipes;
}

sim_client& world::add_client(const client_plan& plan) {
    const sim_client::surroundings around{scenario_, agenda_, dice_,         network_,
                                          *records_, trace_,  disturbances_, *recipes_};
    clients_.push_back(std::make_unique<sim_client>(clients_.size(), plan, around));
    records_->add(*clients_.back());
    return *clients_.back();
}

void world::plan_faults() {
    for (std::size_t i = 0; i != k_faults; ++i) {
        const auto mean = scenario_.every[i];
        if (mean > core::duration{})
            agenda_.after(dice_.up_to(mean * 2), fault_due{static_cast<fault>(i)});
    }
}

// ---- the loop over the events ---------------------------------------------------------------

bool world::step() {
    if (agenda_.empty()) return false;
    const auto next = agenda_.next();
    trace_.mix(static_cast<std::uint64_t>(agenda_.now().time_since_epoch().count()));
    trace_.mix(next.index());
    std::visit([this](const auto& event) { on(event); }, next);
    for (auto& client : clients_) client->look_at_connection();
    records_->after_event();
    recipes_->after_event();
    return true;
}

std::uint64_t world::fingerprint() {
    auto copy = trace_;
    copy.mix(static_cast<std::uint64_t>(servers().truth().zxid()));
    return copy.fingerprint();
}

std::uint64_t world::grants() const {
    return static_cast<std::uint64_t>(
        std::count_if(history_.contenders.begin(), history_.contenders.end(),
                      [](const auto& entry) { return entry.second.granted; }));
}

void world::call_after(core::duration pause, std::function<void()> task) {
    calls_.emplace(++calls_planned_, std::move(task));
    agenda_.after(pause, call_due{calls_planned_});
}

void world::run_call(const call_due& event) {
    const auto call = calls_.extract(event.call);
    call.mapped()();
}

sim_client* world::client_of(connection_id by) {
    const auto* on = network_.find(by);
    return on == nullptr || !on->client_open ? nullptr : clients_[on->client].get();
}

template <class E>
void world::on(const E& event) {
    if constexpr (is_one_of<E, at_server, server_notices, at_link_end, ping_round, commit_due,
                            expiry_due, doomed_due, gives_up, election, joins, goes_on,
                            server_goes_on, server_is_back, answer_due>) {
        at_servers([&event](auto& all) {
            if constexpr (requires { all.on(event); }) all.on(event);
        });
    } else if constexpr (is_one_of<E, at_client, client_notices, silence_due, role_learned,
                                   leader_told, found_elsewhere, bell_rung>) {
        auto* client = client_of(event.connection);
        if (client != nullptr && !client->keep_if_missed(event)) client->on(event);
    } else if constexpr (std::is_same_v<E, leader_asked>) {
        agenda_.after(
            dice_.up_to(scenario_.longest_question()),
            leader_told{event.connection, at_servers([](auto& all) { return all.some_leader(); })});
    } else if constexpr (std::is_same_v<E, resumes>) {
        clients_[event.client]->on(event);
    } else if constexpr (std::is_same_v<E, fault_due>) {
        on_fault(event);
    } else if constexpr (std::is_same_v<E, faults_stop>) {
        if (scenario_.trial.hunting) {
            over_ = true;
        } else {
            stop_faults();
        }
    } else if constexpr (std::is_same_v<E, settle_check>) {
        check_settled();
    } else if constexpr (std::is_same_v<E, call_due>) {
        run_call(event);
    } else {
        auto& client = *clients_[event.client];
        if (!client.keep_if_missed(event)) client.on(event);
    }
}

// ---- faults ---------------------------------------------------------------------------------

void world::on_fault(const fault_due& event) {
    if (!faulty_) return;
    const auto mean = scenario_.every[static_cast<std::size_t>(event.kind)];
    if (event.recurring) agenda_.after(dice_.between(mean / 5, mean * 9 / 5), fault_due{event});
    if (disturbances_.draw_strike([&] { return describe(event); })) strike(event);
}

void world::strike(const fault_due& event) {
    switch (event.kind) {
        case fault::stall:
        case fault::follower_partition:
        case fault::leader_change:
        case fault::server_restart:
        case fault::server_clock_step:
        case fault::server_slew:
        case fault::server_refuses:
        case fault::wipe: return strike_servers(event);
        case fault::reap: return at_servers([](auto& all) { all.reap(); });
        case fault::hand_delete:
        case fault::hand_set:
        case fault::take_away:
        case fault::ask_to_go:
        case fault::hand_close: return tamper(event.kind);
        case fault::remake: return remake_folder();
        case fault::hand_sweep: return sweep();
        case fault::resize: return resize();
        case fault::client_partition:
        case fault::client_pause:
        case fault::client_crash:
        case fault::client_close:
        case fault::connection_limit:
        case fault::throttling:
        case fault::clock_stop:
        case fault::all_give_up: return disturb_client(event);
        case fault::quota: {
            const auto until = agenda_.now() + some_time(event);
            return at_servers([until](auto& all) { all.use_up_quota(until); });
        }
    }
}

void world::strike_servers(const fault_due& event) {
    if (auto* all = std::get_if<ensemble>(&servers_)) return all->strike(event);
    std::get<single_server>(servers_).strike(event, some_time(event));
}

// Returns a short time, a time near the session timeout, or a long time.
core::duration world::some_time(const fault_due& event) {
    const auto timeout = scenario_.time.session_timeout;
    const bool aimed = event.victim || scenario_.trial.returns_in_time;
    if (aimed && dice_.chance(0.7)) {
        // A pause ends at about the end of the lease. A partition is longer than the session timeout.
        const bool near_the_end =
            event.kind == fault::client_pause || scenario_.trial.returns_in_time;
        return near_the_end ? dice_.between(timeout * 7 / 10, timeout * 11 / 10)
                            : dice_.between(timeout, 2 * timeout);
    }
    switch (dice_.below(4)) {
        case 0: return dice_.up_to(100ms);
        case 1: return dice_.up_to(timeout / 2);
        case 2: return dice_.between(timeout * 4 / 5, timeout * 6 / 5);
        default: return dice_.up_to(timeout * 3);
    }
}

void world::disturb_client(const fault_due& event) {
    const auto id = event.victim.value_or(dice_.below(clients_.size()));
    trace_.note(agenda_.now(), [&] { return fmt::format("it strikes client {}", id); });
    auto& victim = *clients_[id];
    switch (event.kind) {
        case fault::client_partition:
            return network_.set_partitioned(id, agenda_.now() + some_time(event));
        case fault::connection_limit:
            return network_.set_crowded(id, agenda_.now() + some_time(event));
        case fault::throttling: return network_.set_throttled(id, agenda_.now() + some_time(event));
        case fault::clock_stop: return victim.stop_machine(some_time(event));
        case fault::client_pause: return victim.pause(some_time(event));
        case fault::client_crash: return victim.crash();
        case fault::all_give_up:
            if (dice_.chance(scenario_.swept))
                agenda_.after(dice_.up_to(4 * scenario_.time.client_latency),
                              fault_due{fault::hand_sweep, false, {}});
            return victim.all_give_up();
        default: return victim.close();
    }
}

// ---- the end of a simulated history ---------------------------------------------------------

void world::stop_faults() {
    trace_.note(agenda_.now(), [] { return std::string{"the faults stop"}; });
    faulty_ = false;
    network_.stop_faults();
    for (client_id id = 0; id != clients_.size(); ++id) {
        clients_[id]->on(resumes{id});
        clients_[id]->stop();
    }
    agenda_.after(scenario_.time.session_timeout / 4, settle_check{});
}

std::string world::unsettled() const {
    std::string text;
    for (const auto& znode : history_.standing()) text += znode + " stands; ";
    for (client_id id = 0; id != clients_.size(); ++id) {
        const auto& client = *clients_[id];
        if (client.crashed() || client.closed()) continue;
        // Once all clients were quiet (at rest and attached), they only have to stay at rest. The relay bound is the
        // longest time until the leader learns of a message to a follower. If the session timeout is hardly longer
        // than the relay bound, a late answer makes the client replace its session, and so detaches the client.
        if (settled_ ? !client.at_rest() : !client.quiet())
            text += fmt::format("client {} is not at rest; ", id);
        if (client.core().owned_bytes() != 0)
            text += fmt::format("client {} owns {} bytes; ", id, client.core().owned_bytes());
    }
    for (const auto& [key, record] : history_.contenders) {
        if (record.abandoned || (record.answered() && record.gone)) continue;
        text += history::tag(key) + (record.answered() ? " is not over; " : " has no answer; ");
    }
    return text;
}

void world::end(std::string&& left_over) {
    over_ = true;
    left_over_ = std::move(left_over);
    records_->on_end(left_over_);
}

// Checks that no znode, contender or pending answer of a running client is left. Messages may arrive for some time
// after the clients' work has ended.
void world::check_settled() {
    const auto timeout = scenario_.time.session_timeout;
    at_servers([](auto& all) { all.end_what_is_due(); });
    auto left = unsettled();
    if (settled_) {
        // A client keeps the watch on a folder whose lock it takes repeatedly.
        std::size_t folders = 0;
        for (client_id id = 0; id != clients_.size(); ++id) {
            const auto& client = *clients_[id];
            if (client.crashed()) continue;
            const auto watched = client.core().watched_folders();
            if (client.core().watched_paths() != watched || client.watch_count() != watched)
                left += fmt::format("client {} keeps a watch; ", id);
            folders += watched;
        }
        if (servers().watch_count() != folders) left += "the servers keep a watch; ";
        // A keep-alive may be in progress, so the world checks several times.
        if (!left.empty() && ++looks_ < k_looks) return agenda_.after(timeout / 16, settle_check{});
        return end(std::move(left));
    }
    settled_ = left.empty();
    // The time limit `settle` counts from the latest progress of a caller, because many deadlocks may end one after
    // another.
    const auto since = std::max(instant{} + scenario_.faults_last, records_->progressed_at());
    if (!settled_ && agenda_.now() > since + scenario_.settle) return end(std::move(left));
    agenda_.after(settled_ ? 2 * timeout + 2s : timeout / 4, settle_check{});
}

}  // namespace turnstile::simulation
