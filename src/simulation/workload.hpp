// workload: threads (workers) that take locks, hold them for a while, release them, or give up waiting;
// all drawn from the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"

namespace turnstile::simulation {

class workload final : public application {
public:
    workload(sim_client& client, const scenario& what, dice& chance)
        : client_{client}, scenario_{what}, dice_{chance}, workers_(client.plan().workers) {}

    void start() override;
    void hear(const core::notice& what) override;
    void wake(const worker_due& what) override;
    void stop() override;
    [[nodiscard]] bool at_rest() const override;

private:
    enum class doing { resting, waiting, holding, done };
    struct worker {
        doing what = doing::resting;
        std::size_t rounds = 0;
        std::uint64_t serial = 0;  // of the event that is planned; older ones are void
        core::acquisition_id current{};
        core::contention wants;
        std::string folder;
        std::string znode;
        bool renaming = false;
        std::optional<core::acquisition_id> base;  // the upgradable hold under the current upgrade
    };

    void plan(worker& one, core::duration pause);
    void acquire(worker& one);
    void choose(worker& one, core::acquire& call);
    void call(worker& one, core::acquire&& call);
    void rest(worker& one);
    void lose_base(worker& one);
    void end_current(worker& one);
    // What the holder of a read-write lock may do beside releasing it; false: it releases.
    bool goes_on(worker& one);
    [[nodiscard]] core::duration hold_time();

    sim_client& client_;
    const scenario& scenario_;
    dice& dice_;
    std::vector<worker> workers_;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
