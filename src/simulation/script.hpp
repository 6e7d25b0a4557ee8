// SPDX-License-Identifier: Apache-2.0
// script: the application of a client whose threads run a user's functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "simulation/application.hpp"
#include "simulation/sim_client.hpp"
#include "turnstile/testing/simulation.hpp"

namespace turnstile::simulation {

class script final : public application {
public:
    explicit script(sim_client& client) : client_{client} {}

    // Runs `task` as an event of the client.
    void call_after(core::duration pause, std::function<void()> task);
    std::uint64_t acquire(core::acquire&& request, testing::simulated_call&& call);
    void release(std::uint64_t number);

    [[nodiscard]] bool waiting(std::uint64_t number) const { return calls_.at(number).waits(); }
    // Nothing before its grant was told.
    [[nodiscard]] std::optional<core::acquisition_id> granted(std::uint64_t number) const;

    void start() override {}
    void hear(const core::notice& notice) override;
    void wake(const worker_due& event) override;
    void stop() override;
    [[nodiscard]] bool at_rest() const override;

private:
    enum class doing { waiting, holding, done };
    struct one_call {
        testing::simulated_call handlers;
        std::optional<core::acquisition_id> id;
        doing state = doing::waiting;
        bool told = false;      // of the grant
        bool unwanted = false;  // released before the client took the call up
        [[nodiscard]] bool waits() const noexcept { return state == doing::waiting; }
    };

    void take_up(std::uint64_t number, core::acquire&& request);
    void tell(one_call& call, const core::notice& notice);
    template <class F, class... A>
    void run_soon(const F& handler, A... arguments);

    sim_client& client_;
    std::map<std::uint64_t, one_call> calls_;
    std::map<core::acquisition_id, std::uint64_t> by_id_;
    std::map<std::uint64_t, std::function<void()>> planned_;
    std::uint64_t plans_ = 0;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
