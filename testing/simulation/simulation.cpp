// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/simulation.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/path.hpp"
#include "client/internals.hpp"
#include "client/write_parts.hpp"
#include "simulation/gate_turns.hpp"
#include "simulation/options.hpp"
#include "simulation/script.hpp"
#include "simulation/seat.hpp"
#include "simulation/world.hpp"

namespace turnstile::testing {

namespace model = turnstile::simulation;

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t k_million = 1'000'000;

}  // namespace

class simulation::state {
public:
    explicit state(const simulation_options& options)
        : drift_{options.clock_drift},
          world_{model::scenario_of(options), ~options.seed, std::nullopt,
                 options.story == story_policy::keep ? model::trace::detail::full
                                                     : model::trace::detail::none} {
        world_.plan_faults();
    }

    simulated_client add_client() {
        model::client_plan plan;
        plan.clock_offset = world_.chance().up_to(100'000s);
        plan.clock_parts_per_million = static_cast<std::int64_t>(
            world_.chance().between(-drift_, drift_) * static_cast<double>(k_million));
        auto& client = world_.add_client(plan);
        auto application = std::make_unique<model::script>(client);
        scripts_.push_back(application.get());
        seats_.emplace_back();
        client.start(std::move(application));
        return simulated_client{scripts_.size() - 1};
    }

    [[nodiscard]] std::size_t index(simulated_client client) const {
        const auto at = static_cast<std::size_t>(client);
        if (at >= scripts_.size())
            throw std::invalid_argument{fmt::format("simulation: client {}: was never added", at)};
        return at;
    }
    [[nodiscard]] model::script& script(simulated_client client) const {
        return *scripts_[index(client)];
    }
    // Adds a participant of an election to the client. Returns its number.
    std::uint64_t add_seat(simulated_client client, core::acquire&& request,
                           simulated_election&& election) {
        auto& by = script(client);
        auto& all = seats_.at(index(client));
        auto& own = *all.emplace_back(
            std::make_unique<model::seat>(by, client, std::move(request), std::move(election)));
        by.at_stop([&own] { own.close(); });
        by.call_after({}, [&own] { own.start(); });
        return all.size();
    }
    [[nodiscard]] model::seat& seat(simulated_participant participant) const {
        return *seats_.at(index(participant.client)).at(participant.number - 1);
    }
    [[nodiscard]] model::sim_client& client(simulated_client caller) {
        return world_.client(index(caller));
    }
    [[nodiscard]] const model::contender_record* find(simulated_hold hold) const {
        const auto id = script(hold.client).granted(hold.number);
        if (!id) return nullptr;
        return &world_.truth().contenders.at({index(hold.client), *id});
    }
    void step() {
        if (!world_.step()) throw std::logic_error{"simulation: nothing can happen any more"};
    }
    [[nodiscard]] model::world& world() noexcept { return world_; }

private:
    double drift_;
    model::world world_;
    std::vector<model::script*> scripts_;
    std::vector<std::vector<std::unique_ptr<model::seat>>> seats_;  // by client
};

simulation::simulation(const simulation_options& options) {
    model::check("simulation", options);
    state_ = std::make_unique<state>(options);
}

simulation::~simulation() = default;

simulated_client simulation::add_client() {
    return state_->add_client();
}

// ---- locks ----------------------------------------------------------------------------------

namespace {

void check_path(std::string_view path) {
    base::validate_path(path).value();
}

result<commit_result> told(const core::commit_outcome& outcome,
                           const std::vector<std::string>& asked) {
    if (const auto* why = std::get_if<error>(&outcome)) return *why;
    return detail::result_of(core::committed{std::get<core::committed>(outcome)}, asked);
}

result<node> told(const std::variant<core::reply, error>& outcome, const std::string& path) {
    if (const auto* why = std::get_if<error>(&outcome)) return *why;
    const auto& answer = std::get<core::reply>(outcome);
    if (answer.error == core::server_error::no_node) return error{errc::no_node, path};
    return node{answer.data, answer.stat.version, answer.stat.ephemeral_owner != 0};
}

[[noreturn]] void refuse_call(std::string_view path, const std::string& problem) {
    throw_error({errc::bad_option, fmt::format("{}: {}", path, problem)});
}

core::claim claim_of(std::string_view path, const simulated_call& call) {
    if (call.permits) {
        if (call.kind != contender_kind::mutex)
            refuse_call(path,
                        fmt::format("permits of a {}: only of a semaphore", to_string(call.kind)));
        if (!call.permits->wanted.in_range() || !call.permits->limit.in_range())
            refuse_call(path,
                        fmt::format("{} of {} permits: there must be at least 1, and {} at most",
                                    call.permits->wanted.value(), call.permits->limit.value(),
                                    permit_count::k_most));
        return {core::claim_kind::permit, static_cast<std::int32_t>(call.permits->wanted.value())};
    }
    switch (call.kind) {
        case contender_kind::mutex: return {core::claim_kind::lock};
        case contender_kind::reader: return {core::claim_kind::read};
        case contender_kind::writer: return {core::claim_kind::write};
        case contender_kind::upgradable: return {core::claim_kind::upgradable};
        case contender_kind::latch:
        case contender_kind::upgrade:
        case contender_kind::permit: break;
    }
    refuse_call(path, fmt::format("kind {}: a call asks for a mutex, reader, writer or upgradable",
                                  to_string(call.kind)));
}

}  // namespace

simulated_hold simulation::acquire(simulated_client client, std::string_view path,
                                   simulated_call call) {
    check_path(path);
    core::acquire request;
    request.settings.wants = claim_of(path, call);
    if (call.permits)
        request.settings.limit = static_cast<std::int32_t>(call.permits->limit.value());
    request.settings.folder = std::string{path};
    request.settings.mode =
        call.attempt == simulated_attempt::once ? core::attempt::once : core::attempt::wait;
    request.settings.waiters = call.waiters;
    return {client, state_->script(client).acquire(std::move(request), std::move(call))};
}

void simulation::release(simulated_hold hold) {
    state_->script(hold.client).release(hold.number);
}

bool simulation::valid(simulated_hold hold) const {
    const auto* record = state_->find(hold);
    return record != nullptr && record->holds() && record->valid_until &&
           state_->client(hold.client).local_now() < *record->valid_until;
}

bool simulation::waiting(simulated_hold hold) const {
    return state_->script(hold.client).waiting(hold.number);
}

// ---- commits and recipes ---------------------------------------------------------------------

void simulation::commit(simulated_hold hold, const transaction& writes,
                        std::function<void(const result<commit_result>&)> done,
                        const std::vector<simulated_hold>& further) {
    writes.validate().value();
    if (!detail::internals::further_holds(writes).empty())
        throw_error({errc::bad_option, "under(): no guard holds in a simulation; see `further`"});
    std::vector<std::uint64_t> standing;
    for (const auto& each : further) {
        if (each.client != hold.client)
            throw_error({errc::bad_option, "commit: a further hold is another client's"});
        standing.push_back(each.number);
    }
    std::vector<std::string> asked;
    for (const auto& part : writes.parts()) {
        const auto* create = std::get_if<transaction::create_part>(&part);
        asked.push_back(create == nullptr ? std::string{} : create->path);
    }
    state_->script(hold.client)
        .commit(
            hold.number, detail::write_parts_of(writes, core::acl_policy::open),
            [done = std::move(done), asked = std::move(asked)](const auto& outcome) {
                if (done) done(told(outcome, asked));
            },
            std::move(standing));
}

void simulation::read(simulated_client client, std::string_view path,
                      std::function<void(const result<node>&)> done) {
    check_path(path);
    state_->script(client).read(
        std::string{path}, [done = std::move(done), path = std::string{path}](const auto& outcome) {
            if (done) done(told(outcome, path));
        });
}

simulated_participant simulation::lead(simulated_client client, std::string_view path,
                                       simulated_election election) {
    check_path(path);
    core::acquire request;
    request.settings.folder = std::string{path};
    return {client, state_->add_seat(client, std::move(request), std::move(election))};
}

void simulation::resign(simulated_participant participant) {
    state_->script(participant.client).call_after({}, [&own = state_->seat(participant)] {
        own.resign();
    });
}

void simulation::leave(simulated_participant participant) {
    state_->script(participant.client).call_after({}, [&own = state_->seat(participant)] {
        own.close();
    });
}

bool simulation::leads(simulated_participant participant) const {
    const auto term = state_->seat(participant).term();
    return term && valid({participant.client, *term});
}

void simulation::run_job(simulated_client client, std::string_view path, simulated_job job) {
    check_path(path);
    const auto terms = detail::terms_of(job.rules).value();
    model::job_turn::start(state_->script(client), std::string{path}, terms, std::move(job));
}

void simulation::enter(simulated_client client, std::string_view path, simulated_entry entry) {
    check_path(path);
    auto rule = detail::empty_record(entry.rule).value();
    model::rate_turn::start(state_->script(client), std::string{path}, std::move(rule),
                            std::move(entry));
}

// ---- time -----------------------------------------------------------------------------------

boottime_clock::duration simulation::now() const {
    return state_->world().now().time_since_epoch();
}

void simulation::after(boottime_clock::duration pause, std::function<void()> task) {
    state_->world().call_after(pause, std::move(task));
}

void simulation::after(simulated_client client, boottime_clock::duration pause,
                       std::function<void()> task) {
    state_->script(client).call_after(pause, std::move(task));
}

void simulation::run_for(boottime_clock::duration length) {
    (void)run_until([] { return false; }, length);
}

bool simulation::run_until(const std::function<bool()>& reached, boottime_clock::duration limit) {
    const auto over = std::make_shared<bool>(false);  // the call may outlive this function
    state_->world().call_after(limit, [over] { *over = true; });
    while (!*over && !reached()) state_->step();
    return reached();
}

void simulation::settle() {
    state_->world().stop_faults();
    while (!state_->world().over()) state_->step();
    if (const auto& left = state_->world().left_over(); !left.empty())
        throw std::runtime_error{"simulation: settle: not all is over: " + left};
}

// ---- faults ---------------------------------------------------------------------------------

void simulation::break_connection(simulated_client client) {
    cut_off(client, {});
}

void simulation::cut_off(simulated_client client, boottime_clock::duration length) {
    auto& world = state_->world();
    world.links().set_partitioned(state_->index(client), world.now() + length);
}

void simulation::pause(simulated_client client, boottime_clock::duration length) {
    state_->client(client).pause(length);
}

void simulation::crash(simulated_client client) {
    state_->client(client).crash();
}

void simulation::close(simulated_client handle) {
    auto& client = state_->client(handle);
    state_->script(handle).call_after({}, [&client] { client.close(); });
}

void simulation::change_leader() {
    state_->world().strike({model::fault::leader_change, false, {}});
}

void simulation::restart_server() {
    state_->world().strike({model::fault::server_restart, false, {}});
}

void simulation::cut_off_follower() {
    state_->world().strike({model::fault::follower_partition, false, {}});
}

void simulation::stall_servers() {
    state_->world().strike({model::fault::stall, false, {}});
}

void simulation::delete_znode(simulated_hold hold) {
    const auto* record = state_->find(hold);
    if (record == nullptr || record->znode.empty())
        throw std::logic_error{"simulation: delete_znode: this call was not granted"};
    state_->world().delete_by_hand(record->znode);
}

// ---- queries --------------------------------------------------------------------------------

std::uint64_t simulation::fingerprint() const {
    return state_->world().fingerprint();
}

std::vector<std::string> simulation::story() const {
    const auto& lines = state_->world().story().lines();
    return {lines.begin(), lines.end()};
}

}  // namespace turnstile::testing
