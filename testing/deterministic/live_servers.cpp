// SPDX-License-Identifier: Apache-2.0
#include "deterministic/live_servers.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <variant>

#include <fmt/core.h>

#include "schedule/process_clock.hpp"
#include "simulation/describe.hpp"
#include "simulation/options.hpp"

namespace turnstile::deterministic {

using namespace std::chrono_literals;
using schedule::scheduler;
using simulation::fault;

namespace {

template <class E, class... All>
inline constexpr bool is_one_of = (std::is_same_v<E, All> || ...);

simulation::scenario live_scenario(const testing::simulation_options& options) {
    auto plan = simulation::scenario_of(options);
    // The clients of a run may prefer the leader or not, and may ask the servers for their roles. With `automatic`, the
    // simulated client library answers every question about a role, within a fourth of the session timeout.
    plan.place = core::placement::automatic;
    return plan;
}

}  // namespace

live_servers::live_servers(const testing::simulation_options& options, core::duration limit)
    : limit_{limit},
      scenario_{live_scenario(options)},
      dice_{~options.seed},
      trace_{options.story == testing::story_policy::keep ? simulation::trace::detail::full
                                                          : simulation::trace::detail::none},
      disturbances_{agenda_, trace_, std::nullopt},
      network_{scenario_, agenda_, dice_, disturbances_},
      servers_{scenario_, agenda_, dice_, network_, disturbances_, history_, trace_} {
    for (std::size_t i = 0; i != simulation::k_faults; ++i) {
        const auto mean = scenario_.every[i];
        if (mean > core::duration{})
            agenda_.after(dice_.up_to(mean * 2), simulation::fault_due{static_cast<fault>(i)});
    }
    thread_ = boost::thread{[this] { run(); }};
}

// ---- time -----------------------------------------------------------------------------------

instant live_servers::present() noexcept {
    return instant{std::chrono::nanoseconds{scheduler::of_this_thread()->true_time()}};
}

void live_servers::run() {
    base::unique_lock lock{mutex_};
    for (;;) {
        play();
        if (present().time_since_epoch() > limit_) {
            const auto text =
                fmt::format("the test is not over after {} s of virtual time",
                            std::chrono::duration_cast<std::chrono::seconds>(limit_).count());
            scheduler::of_this_thread()->end(schedule::verdict::failed, text.c_str());
        }
        awaited_ = agenda_.next_at().value_or(instant::max());
        awaited_ = std::min(awaited_, instant{limit_ + 1s});
        // This thread belongs to the run's process 0, whose clock has no drift and no offset. So that clock shows the
        // true time since the run's beginning plus k_start.
        const auto shown = awaited_ + std::chrono::nanoseconds{schedule::process_clock::k_start};
        sooner_.wait_until(lock, shown);
    }
}

void live_servers::play() {
    for (;;) {
        const auto next = agenda_.next_at();
        if (!next || *next > present()) break;
        const auto event = agenda_.next();
        std::visit([this](const auto& each) { on(each); }, event);
    }
    agenda_.advance(present());
}

void live_servers::wake_if_sooner() {
    const auto next = agenda_.next_at();
    if (next && *next < awaited_) sooner_.notify_one();
}

// ---- events ---------------------------------------------------------------------------------

void live_servers::to_session(client_id session, planned_event&& event) {
    const auto found = sessions_.find(session);
    if (found != sessions_.end()) found->second.own->arrive(std::move(event));
}

template <class E>
void live_servers::on(const E& event) {
    using namespace simulation;
    if constexpr (requires { servers_.on(event); }) {
        servers_.on(event);
    } else if constexpr (is_one_of<E, at_client, client_notices, silence_due, role_learned,
                                   leader_told, found_elsewhere>) {
        const auto* by = network_.find(event.connection);
        if (by != nullptr && by->client_open) to_session(by->client, planned_event{event});
    } else if constexpr (std::is_same_v<E, leader_asked>) {
        agenda_.after(dice_.up_to(scenario_.longest_question()),
                      leader_told{event.connection, servers_.some_leader()});
    } else if constexpr (std::is_same_v<E, connect_due>) {
        to_session(event.client, planned_event{event});
    } else if constexpr (std::is_same_v<E, fault_due>) {
        on_fault(event);
    }  // the other events belong to a simulated client or a world
}

std::unique_ptr<simulation::handle> live_servers::open(served_session& own, std::uint16_t process,
                                                       client_id& id) {
    id = opened_++;
    sessions_.emplace(id, known_session{&own, process});
    return std::make_unique<simulation::handle>(id, 1, scenario_, agenda_, dice_, network_);
}

// ---- faults ---------------------------------------------------------------------------------

void live_servers::on_fault(const simulation::fault_due& event) {
    const auto mean = scenario_.every[static_cast<std::size_t>(event.kind)];
    if (event.recurring)
        agenda_.after(dice_.between(mean / 5, mean * 9 / 5), simulation::fault_due{event});
    if (disturbances_.draw_strike([&] { return simulation::describe(event); }))
        strike_now(event.kind);
}

// Returns a short time, a time near the session timeout, or a long time.
core::duration live_servers::some_time() {
    const auto timeout = scenario_.time.session_timeout;
    switch (dice_.below(4)) {
        case 0: return dice_.up_to(100ms);
        case 1: return dice_.up_to(timeout / 2);
        case 2: return dice_.between(timeout * 4 / 5, timeout * 6 / 5);
        default: return dice_.up_to(timeout * 3);
    }
}

void live_servers::strike_now(fault kind) {
    if (kind != fault::client_partition && kind != fault::client_pause)
        return servers_.strike(simulation::fault_due{kind, false, {}});
    if (processes_.empty()) return;
    const auto process =
        std::next(processes_.begin(), static_cast<std::ptrdiff_t>(dice_.below(processes_.size())))
            ->first;
    if (kind == fault::client_pause) return pause_now(process, some_time());
    cut_off_now(process, some_time());
}

void live_servers::cut_off_now(std::uint16_t process, core::duration length) {
    const auto found = processes_.find(process);
    if (found == processes_.end()) return;
    note([&] { return found->second + " is cut off"; });
    for (const auto& [id, each] : sessions_)
        if (each.process == process) network_.set_partitioned(id, agenda_.now() + length);
}

void live_servers::pause_now(std::uint16_t process, core::duration length) {
    const auto found = processes_.find(process);
    if (found == processes_.end()) return;
    note([&] { return found->second + " is stopped"; });
    scheduler::of_this_thread()->stop(process, length.count());
}

void live_servers::strike(fault kind) {
    enter([&] { strike_now(kind); });
}

void live_servers::cut_off(std::uint16_t process, core::duration length) {
    enter([&] { cut_off_now(process, length); });
}

void live_servers::pause(std::uint16_t process, core::duration length) {
    enter([&] { pause_now(process, length); });
}

void live_servers::crash(std::uint16_t process) {
    enter([&] {
        note([&] { return processes_.at(process) + " is gone"; });
        processes_.erase(process);
        for (const auto& [id, each] : sessions_)
            if (each.process == process) each.own->crash();
        std::erase_if(sessions_, [&](const auto& each) { return each.second.process == process; });
    });
}

void live_servers::delete_by_hand(const std::string& znode) {
    enter([&] { servers_.write_by_hand(core::remove_op{znode}); });
}

void live_servers::make_by_hand(const std::string& znode) {
    for (std::size_t end = 0; end != std::string::npos;) {
        end = znode.find('/', end + 1);
        const auto part = znode.substr(0, end);
        if (!find(part)) enter([&] { servers_.write_by_hand(core::create_op{part, {}}); });
    }
}

// ---- functions by which a test reads the servers' data ---------------------------------------

std::optional<live_servers::found_node> live_servers::find(const std::string& znode) {
    return enter([&]() -> std::optional<found_node> {
        const auto* found = servers_.truth().nodes().find(znode);
        if (found == nullptr) return std::nullopt;
        return found_node{found->data, found->version,
                          found->kind == local::tree_node_kind::ephemeral};
    });
}

std::vector<std::string> live_servers::children(const std::string& znode) {
    return enter([&] {
        std::vector<std::string> names;
        const auto* found = servers_.truth().nodes().find(znode);
        if (found != nullptr) names.assign(found->children.begin(), found->children.end());
        std::sort(names.begin(), names.end());
        return names;
    });
}

std::string live_servers::story() const {
    std::string text;
    for (const auto& line : trace_.lines()) text += line + '\n';
    return text;
}

void live_servers::add_process(std::uint16_t process, std::string_view name) {
    enter([&] { processes_.emplace(process, name); });
}

}  // namespace turnstile::deterministic
