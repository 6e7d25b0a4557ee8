// SPDX-License-Identifier: Apache-2.0
// script: the application of a simulated client in a user's test. Its threads run the test's functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simulation/application.hpp"
#include "simulation/sim_client.hpp"
#include "turnstile/testing/simulation.hpp"

namespace turnstile::simulation {

class script final : public application {
public:
    explicit script(sim_client& client);

    // Runs `task` after the pause, in an event of the client.
    std::uint64_t call_after(core::duration pause, std::function<void()> task);
    // Runs `task` after the pause, or as soon as the call's hold has ended.
    void call_while_held(std::uint64_t number, core::duration pause, std::function<void()> task);
    std::uint64_t acquire(core::acquire&& request, testing::simulated_call&& call);
    void release(std::uint64_t number);
    // These handlers run in events of the client. A commit has the outcomes of guard::commit().
    using commit_handler = std::function<void(const core::commit_outcome&)>;
    using read_handler = std::function<void(const std::variant<core::reply, error>&)>;
    void commit(std::uint64_t number, std::vector<core::write_part>&& parts, commit_handler then,
                std::vector<std::uint64_t>&& further = {});
    void read(std::string path, read_handler then);
    // Runs `task` when the client begins to stop, before its calls end.
    void at_stop(std::function<void()> task) { at_stop_.push_back(std::move(task)); }

    [[nodiscard]] bool holds(std::uint64_t number) const {
        return calls_.at(number).state == doing::holding;
    }
    // The next functions answer questions about a hold.
    [[nodiscard]] const std::string& znode(std::uint64_t number) const {
        return calls_.at(number).znode;
    }
    [[nodiscard]] bool waiting(std::uint64_t number) const { return calls_.at(number).waits(); }
    // Returns the contender of the hold; nothing as long as no grant has been reported.
    [[nodiscard]] std::optional<core::contender_id> granted(std::uint64_t number) const;

    void start() override {}
    void hear(const core::notice& notice) override;
    void answered(const core::answer& of) override;
    void answered(const core::commit_answer& of) override;
    void wake(const worker_due& event) override;
    void stop() override;
    [[nodiscard]] bool at_rest() const override;

private:
    enum class doing { waiting, holding, done };
    struct one_call {
        testing::simulated_call handlers;
        std::optional<core::contender_id> id;
        std::string znode;
        doing state = doing::waiting;
        bool told = false;      // true: the grant was reported
        bool unwanted = false;  // true: released before the client started the call
        std::optional<error> loss{};
        unsigned checked_by = 0;    // commits under other holds that depend on this hold
        bool left = false;          // true: is released after these commits
        std::uint64_t pausing = 0;  // the planned action that the end of the hold cancels; 0: none
        [[nodiscard]] bool waits() const noexcept { return state == doing::waiting; }
    };

    void take_up(std::uint64_t number, core::acquire&& request);
    void tell(one_call& call, const core::notice& notice);
    // Returns what guard::status() would return.
    [[nodiscard]] result<void> status(const one_call& call) const;
    // Returns the znodes of the holds in `further`. Releases of these holds wait for end_commit().
    [[nodiscard]] result<std::vector<std::string>> begin_commit(
        std::uint64_t number, const std::vector<core::write_part>& parts,
        std::vector<std::uint64_t>& further);
    void end_commit(const std::vector<std::uint64_t>& further);
    void end_pause(one_call& call);
    template <class F, class... A>
    void run_soon(const F& handler, A... arguments);

    sim_client& client_;
    std::map<std::uint64_t, one_call> calls_;
    std::map<core::contender_id, std::uint64_t> by_id_;
    std::map<std::uint64_t, std::function<void()>> planned_;
    std::map<core::commit_id, commit_handler> commits_;
    std::map<core::inquiry_id, read_handler> reads_;
    std::vector<std::function<void()>> at_stop_;
    std::uint64_t plans_ = 0;
    std::uint64_t texts_ = 0;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
