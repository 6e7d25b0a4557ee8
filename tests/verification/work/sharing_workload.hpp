// SPDX-License-Identifier: Apache-2.0
// sharing_workload: threads (workers) of a process that share a contender on each path. They take the lock, hold it,
// release it, or give up waiting, as the seed says.
//
// Executes the actions that core::local_queue returns, in virtual time. In the library, shared_contender.hpp and
// local_hold.hpp execute these actions on several threads. So here each action has a random delay, and each notice of a
// hold too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"
#include "verification/work/sharing_judge.hpp"

namespace turnstile::simulation {

class sharing_workload final : public application, public sharing_holder {
public:
    sharing_workload(client_id id, sim_client& client, const scenario& scenario, dice& chance,
                     sharing_judge& judge);

    void start() override;
    void hear(const core::notice& notice) override;
    void wake(const worker_due& due) override;
    void stop() override;
    [[nodiscard]] bool at_rest() const override;
    [[nodiscard]] std::vector<const shared_lock*> shared_locks() const override;

private:
    struct worker {
        std::size_t rounds = 0;
        std::uint64_t serial = 0;  // number of the event planned last; earlier events are void
        std::size_t lock = 0;
        std::optional<core::local_id> current;  // the thread's current call
    };
    struct contender {
        std::size_t lock = 0;
        std::uint64_t number = 0;
    };

    void plan(worker& actor, core::duration pause);
    void rest(worker& actor);
    void act(worker& actor);
    void begin(worker& actor);
    void later(std::function<void()> task);
    // Runs the task at once, or later as a slow thread does.
    void soon(std::function<void()> task);

    void step(shared_lock& lock, const std::function<void()>& task);
    void execute(shared_lock& lock, const core::sharing::action& action);
    void record_grant(shared_lock& lock, const core::sharing::tell_granted& grant);
    void arm(shared_lock& lock);
    void ask(shared_lock& lock, const core::sharing::ask& question);
    void give_up_all(const shared_lock& lock);
    void withdraw(shared_lock& lock, std::uint64_t number);

    void on_granted(shared_lock& lock, std::uint64_t number, core::contender_id id);
    void on_late_grant(shared_lock& lock, std::uint64_t number);
    void on_refused(shared_lock& lock, std::uint64_t number, const error& why);
    void on_lost(shared_lock& lock, std::uint64_t number, const error& why);
    void on_outcome(shared_lock& lock, core::local_id id);
    void forget(shared_lock& lock, core::local_id id);
    [[nodiscard]] core::duration hold_time();

    const client_id id_;
    sim_client& client_;
    const scenario& scenario_;
    dice& dice_;
    sharing_judge& judge_;
    std::vector<worker> workers_;
    std::vector<shared_lock> locks_;
    std::map<core::contender_id, contender> contenders_;
    std::uint64_t calls_ = 0;
    std::uint64_t tasks_planned_ = 0;
    std::map<std::uint64_t, std::function<void()>> tasks_;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
