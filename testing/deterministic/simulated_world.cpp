// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <boost/thread/thread.hpp>

#include <exception>
#include <stdexcept>
#include <utility>

#include "client/back_ends.hpp"
#include "deterministic/live_coordinator.hpp"
#include "deterministic/world_state.hpp"
#include "schedule/run.hpp"
#include "schedule/scheduler.hpp"
#include "turnstile/log.hpp"

namespace turnstile::testing {

namespace model = turnstile::simulation;
using deterministic::live_servers;
using schedule::scheduler;

namespace {

constexpr std::int64_t k_million = 1'000'000;
constexpr std::int64_t k_largest_offset = 100'000'000'000'000;  // in ns

live_servers* servers_of_run = nullptr;

std::shared_ptr<core::coordinator> make_live(std::string_view connect_string,
                                             const client_options& /*options*/) {
    return std::make_shared<deterministic::live_coordinator>(*servers_of_run, connect_string);
}

}  // namespace

simulated_world::state::state(const simulation_options& options, const run_limits& limits)
    : drift_{options.clock_drift}, servers_{options, limits.virtual_time} {
    servers_of_run = &servers_;
    set_log_sink([this](log_level, std::string_view line) {
        servers_.enter([&] { servers_.note([&] { return std::string{line}; }); });
    });
    // The first log line, which the next call writes, starts the log's thread in the caller's process. The caller is in
    // process 0 here. Simulated processes may end, and the log's thread must not end with them.
    detail::stand_in_for_zookeeper(make_live);
}

// ---- processes ------------------------------------------------------------------------------

schedule::process_clock simulated_world::state::draw_clock() {
    return servers_.enter([this] {
        auto& chance = servers_.chance();
        const auto rate = chance.between(-drift_, drift_) * static_cast<double>(k_million);
        return schedule::process_clock{static_cast<std::int64_t>(chance.below(k_largest_offset)),
                                       static_cast<std::int64_t>(rate)};
    });
}

simulated_world::state::process& simulated_world::state::find(simulated_process which) {
    const auto at = static_cast<std::size_t>(which);
    if (at >= processes_.size())
        throw std::invalid_argument{fmt::format("process {}: was never started", at)};
    return *processes_[at];
}

simulated_process simulated_world::state::start(std::string_view name, std::function<void()> main) {
    auto added = std::make_shared<process>();
    added->number = scheduler::of_this_thread()->add_process(name, draw_clock());
    added->name = name;
    servers_.add_process(added->number, name);
    const auto which = [&] {
        const base::lock_guard lock{mutex_};
        processes_.push_back(added);
        return simulated_process{processes_.size() - 1};
    }();
    boost::thread{[this, added, main = std::move(main)] { run(*added, main); }}.detach();
    return which;
}

// The scheduler never continues a thread of an ended process, but this thread must still report the end. So the thread
// first moves to process 0, where it continues even if its former process is stopped or killed.
void simulated_world::state::run(process& own, const std::function<void()>& main) {
    auto* const mine = scheduler::of_this_thread();
    mine->become(own.number);
    try {
        main();
    } catch (const std::exception& failure) {
        schedule::violated(fmt::format("{}: {}", own.name, failure.what()));
    }
    mine->become(0);
    servers_.crash(own.number);
    mine->kill(own.number);
    set_over(own);
}

void simulated_world::state::set_over(process& own) {
    const base::lock_guard lock{mutex_};
    own.over = true;
    ended_.notify_all();
}

bool simulated_world::state::runs(simulated_process which) {
    const base::lock_guard lock{mutex_};
    return !find(which).over;
}

void simulated_world::state::await(simulated_process which) {
    base::unique_lock lock{mutex_};
    while (!find(which).over) ended_.wait(lock);
}

void simulated_world::state::kill(simulated_process which) {
    const auto number = number_of(which);
    if (!runs(which)) return;
    servers_.crash(number);
    set_over(*[&] {
        const base::lock_guard lock{mutex_};
        return &find(which);
    }());
    // The kill comes last: if the calling thread is in this process, it does not continue after the kill.
    scheduler::of_this_thread()->kill(number);
}

std::uint16_t simulated_world::state::number_of(simulated_process which) {
    const base::lock_guard lock{mutex_};
    return find(which).number;
}

// ---- functions for the test -----------------------------------------------------------------

simulated_process simulated_world::start(std::string_view name, std::function<void()> main) {
    return state_.start(name, std::move(main));
}

bool simulated_world::runs(simulated_process process) const {
    return state_.runs(process);
}

void simulated_world::await(simulated_process process) const {
    state_.await(process);
}

void simulated_world::pause(simulated_process process, std::chrono::milliseconds length) {
    state_.servers().pause(state_.number_of(process), length);
}

void simulated_world::kill(simulated_process process) {
    state_.kill(process);
}

void simulated_world::cut_off(simulated_process process, std::chrono::milliseconds length) {
    state_.servers().cut_off(state_.number_of(process), length);
}

void simulated_world::change_leader() {
    state_.servers().strike(model::fault::leader_change);
}

void simulated_world::restart_server() {
    state_.servers().strike(model::fault::server_restart);
}

void simulated_world::cut_off_follower() {
    state_.servers().strike(model::fault::follower_partition);
}

void simulated_world::stall_servers() {
    state_.servers().strike(model::fault::stall);
}

void simulated_world::delete_znode(std::string_view path) {
    state_.servers().delete_by_hand(std::string{path});
}

boottime_clock::duration simulated_world::now() const {
    return std::chrono::nanoseconds{scheduler::of_this_thread()->true_time()};
}

std::optional<node> simulated_world::find(std::string_view path) const {
    const auto found = state_.servers().find(std::string{path});
    if (!found) return std::nullopt;
    return node{found->data, found->version, found->ephemeral};
}

std::vector<std::string> simulated_world::children(std::string_view path) const {
    return state_.servers().children(std::string{path});
}

}  // namespace turnstile::testing
