// SPDX-License-Identifier: Apache-2.0
// crew: the threads (workers) of a simulated client. Each thread takes a lock, acts under it, releases it and rests,
// several times. The seed gives the times. A derived class chooses locks and actions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"

namespace turnstile::simulation {

struct crew_member {
    enum class doing { resting, waiting, holding, done };
    doing state = doing::resting;
    std::size_t rounds = 0;    // rounds that remain
    std::uint64_t serial = 0;  // number of the latest planned event; earlier events are void
    core::contender_id current{};
    std::string folder;
    std::string znode;  // znode of the hold
};

template <class Worker>
class crew : public application {
public:
    crew(sim_client& client, const scenario& scenario, dice& chance)
        : client_{client}, scenario_{scenario}, dice_{chance}, workers_(client.plan().workers) {}

    void start() override {
        for (auto& actor : workers_) {
            actor.rounds = dice_.from_to(1, most_rounds());
            plan(actor, dice_.up_to(scenario_.time.session_timeout / 2));
        }
    }
    void wake(const worker_due& due) override {
        auto& actor = workers_[due.worker];
        if (actor.serial != due.serial) return;
        switch (actor.state) {
            case doing::resting:
                if (stopping_ || actor.rounds == 0) {
                    actor.state = doing::done;
                } else {
                    --actor.rounds;
                    acquire(actor);
                }
                return;
            case doing::waiting: return lose_patience(actor);
            case doing::holding: return go_on(actor);
            case doing::done: return;
        }
    }
    void all_give_up() override {
        for (auto& actor : workers_)
            if (actor.state == doing::waiting) lose_patience(actor);
    }
    void stop() override { stopping_ = true; }
    [[nodiscard]] bool at_rest() const override {
        return std::all_of(workers_.begin(), workers_.end(), [](const Worker& actor) {
            return actor.state == doing::resting || actor.state == doing::done;
        });
    }

protected:
    using doing = crew_member::doing;
    using worker = Worker;
    static constexpr std::chrono::milliseconds k_moment{20};

    [[nodiscard]] virtual std::size_t most_rounds() const { return scenario_.rounds; }
    virtual void acquire(worker& actor) = 0;
    virtual void lose_patience(worker& /*impatient*/) {}
    virtual void go_on(worker& actor) = 0;  // continues what the worker does under its hold

    void plan(worker& actor, core::duration pause) {
        client_.wake_after(pause, number(actor), ++actor.serial);
    }
    [[nodiscard]] std::size_t number(const worker& actor) const {
        return static_cast<std::size_t>(&actor - workers_.data());
    }
    void rest(worker& actor, core::duration length) {
        actor.state = doing::resting;
        plan(actor, length);
    }

    // Returns a random time, up to 1/`part` of the session timeout.
    [[nodiscard]] core::duration some_time(int part = 3) {
        const auto timeout = scenario_.time.session_timeout;
        return dice_.up_to(dice_.chance(0.5) ? core::duration{k_moment} : timeout / part);
    }
    // Returns a random time for a hold: some_time(), or longer than the lease.
    [[nodiscard]] core::duration hold_time(int part = 3) {
        if (!stopping_ && dice_.chance(scenario_.long_holds))
            return dice_.between(scenario_.time.session_timeout / 2, scenario_.longest_hold);
        return some_time(part);
    }

    sim_client& client_;
    const scenario& scenario_;
    dice& dice_;
    std::vector<worker> workers_;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
