// SPDX-License-Identifier: Apache-2.0
// multi_workload: threads (workers) that take several locks, or a majority of locks on different ensembles. They hold,
// release, or give up waiting, as the seed says.
//
// Executes the actions of core::all_of and core::quorum in virtual time. Notices about the hold of a single lock arrive
// a little later, one by one, as on a client's threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"
#include "verification/work/composite_judge.hpp"

namespace turnstile::simulation {

class multi_workload final : public application, public composite_holder {
public:
    multi_workload(client_id id, sim_client& client, const scenario& scenario, dice& chance,
                   composite_judge& judge);

    void start() override;
    void hear(const core::notice& notice) override;
    void wake(const worker_due& due) override;
    void stop() override;
    [[nodiscard]] bool at_rest() const override;
    [[nodiscard]] std::vector<const composite*> composites() const override;

private:
    struct worker {
        std::size_t rounds = 0;
        std::uint64_t serial = 0;  // number of the latest planned event; earlier events are void
        std::uint64_t timer = 0;
        std::optional<std::uint64_t> current;  // the composite that the thread uses
        bool done = false;
    };
    struct part_of {
        std::uint64_t key = 0;  // identifies the part's composite
        std::size_t part = 0;
        bool tried = false;  // core::all_of only tries this part
    };
    enum class asked { as_the_whole, to_try };

    void plan(worker& actor, core::duration pause);
    void plan_rest(worker& actor);
    void plan_timer(composite& composite);
    void begin(worker& actor);
    composite make(std::size_t which) const;
    [[nodiscard]] core::all_of::course draw_course(bool once) const;
    void act(worker& actor);
    void on_told(const core::notice& notice);
    void on_part(composite& composite, const part_of& which, const core::notice& notice);
    void confirm(composite& composite) const;
    void execute(std::uint64_t key);
    void ask(std::uint64_t key, std::size_t part);
    void try_all(std::uint64_t key, const std::vector<std::size_t>& parts);
    // Records `id` as the contender for one lock of a call for several locks. Returns the acquire to send for that
    // lock.
    core::acquire prepare(std::uint64_t key, std::size_t part, asked how, core::contender_id id);
    void granted(composite& composite);
    void over(composite& composite);
    void leave(composite& composite);
    void forget(std::uint64_t key);
    [[nodiscard]] bool parts_valid(const composite& composite) const;
    [[nodiscard]] core::duration hold_time();

    const client_id id_;
    sim_client& client_;
    const scenario& scenario_;
    dice& dice_;
    composite_judge& judge_;
    std::vector<worker> workers_;
    std::map<std::uint64_t, composite> composites_;
    std::uint64_t composites_begun_ = 0;
    std::map<core::contender_id, part_of> parts_;
    std::deque<core::notice> told_;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
