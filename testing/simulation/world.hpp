// SPDX-License-Identifier: Apache-2.0
// world: plays one history of servers, network, clients and faults, in virtual time.
//
// Each step is the next event of the agenda. The recorders record the clients' calls and results. In
// verification/simulator.cpp the recorders also check the promises. If a recorder finds a fault, it throws an
// exception, and step() passes the exception on. The scenario, the seed of the dice and the calls of the world's user
// determine a history.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simulation/disturbances.hpp"
#include "simulation/ensemble.hpp"
#include "simulation/recipe_observer.hpp"
#include "simulation/recorder.hpp"
#include "simulation/scenario.hpp"
#include "simulation/servers_view.hpp"
#include "simulation/sim_client.hpp"
#include "simulation/single_server.hpp"

namespace turnstile::simulation {

class world {
public:
    world(scenario&& scenario, std::uint64_t dice_seed, std::optional<disturbances::numbers> only,
          trace::detail wanted);
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    // Sets the recorders, which must outlive the last step. Must be called before the first client is added.
    void observed_by(recorder& records, recipe_observer& recipes);
    sim_client& add_client(const client_plan& plan);
    // Plans the scenario's recurring faults.
    void plan_faults();
    // Executes the next event. Returns false if there is none.
    bool step();
    // Executes a fault at once.
    void strike(const fault_due& event);
    void delete_by_hand(const std::string& znode);
    void sweep();  // an operator deletes most of the contenders' znodes
    void write_by_hand(const std::string& znode);
    // Runs `task` in a separate event after the pause.
    void call_after(core::duration pause, std::function<void()> task);
    // Ends all faults. Then the clients release their holds, all calls must end, and no znode of a contender may
    // remain.
    void stop_faults();
    void stop_faults_after(core::duration pause) { agenda_.after(pause, faults_stop{}); }

    // ---- queries ----
    [[nodiscard]] const scenario& plans() const noexcept { return scenario_; }
    [[nodiscard]] dice& chance() noexcept { return dice_; }
    [[nodiscard]] instant now() const noexcept { return agenda_.now(); }
    [[nodiscard]] const agenda& time() const noexcept { return agenda_; }
    [[nodiscard]] const trace& story() const noexcept { return trace_; }
    [[nodiscard]] trace& story() noexcept { return trace_; }
    [[nodiscard]] bool over() const noexcept { return over_; }
    [[nodiscard]] std::uint64_t fingerprint();
    [[nodiscard]] std::uint64_t grants() const;
    [[nodiscard]] std::uint64_t drawn() const noexcept { return disturbances_.drawn(); }
    [[nodiscard]] const history& truth() const noexcept { return history_; }
    [[nodiscard]] history& truth() noexcept { return history_; }
    [[nodiscard]] const servers_view& servers() const noexcept;
    // Describes what clients and servers still have at the end, such as znodes and calls; empty if they have nothing.
    [[nodiscard]] const std::string& left_over() const noexcept { return left_over_; }
    [[nodiscard]] network& links() noexcept { return network_; }
    [[nodiscard]] sim_client& client(client_id id) { return *clients_.at(id); }
    [[nodiscard]] std::size_t size() const noexcept { return clients_.size(); }

private:
    template <class E>
    void on(const E& event);
    [[nodiscard]] std::variant<ensemble, single_server> make_servers();
    // Passes an event or an operator's action to the servers.
    template <class F>
    decltype(auto) at_servers(F&& task) {
        return std::visit(std::forward<F>(task), servers_);
    }
    void on_fault(const fault_due& event);
    void strike_servers(const fault_due& event);
    void write_at_servers(core::operation&& op);
    void disturb_client(const fault_due& event);
    void tamper(fault kind);
    void take_away(const std::string& znode);
    void ask_to_go(const std::string& znode);
    void resize();
    void remake_folder();
    void run_call(const call_due& event);
    void check_settled();
    void end(std::string&& left_over);
    [[nodiscard]] std::string unsettled() const;
    [[nodiscard]] sim_client* client_of(connection_id by);
    [[nodiscard]] core::duration some_time(const fault_due& event);

    scenario scenario_;
    agenda agenda_;
    dice dice_;
    trace trace_;
    disturbances disturbances_;
    history history_;
    network network_;
    std::variant<ensemble, single_server> servers_;
    recorder plain_recorder_;
    recipe_observer plain_observer_;
    recorder* records_ = &plain_recorder_;
    recipe_observer* recipes_ = &plain_observer_;
    std::vector<std::unique_ptr<sim_client>> clients_;
    std::map<std::uint64_t, std::function<void()>> calls_;
    std::uint64_t calls_planned_ = 0;
    bool faulty_ = true;
    bool settled_ = false;
    int looks_ = 0;
    int orders_given_ = 0;
    bool over_ = false;
    std::string left_over_;
};

}  // namespace turnstile::simulation
