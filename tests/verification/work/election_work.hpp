// SPDX-License-Identifier: Apache-2.0
// election_work: participants of an election, each with a function that runs while the participant leads. They use the
// shipped state machine (recipe/election/participation.hpp). Users start and close participants. Tasks, callbacks and
// functions take random times, so that they overlap as threads do.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "recipe/election/participation.hpp"
#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"
#include "verification/work/seat_judge.hpp"

namespace turnstile::simulation {

namespace course = detail::course;

class election_work final : public application {
public:
    election_work(sim_client& client, const scenario& scenario, dice& chance);

    void start() override;
    void hear(const core::notice& notice) override;
    void answered(const core::answer& answer) override;
    void answered(const core::commit_answer& answer) override;
    void wake(const worker_due& due) override;
    void all_give_up() override;
    void stop() override;
    [[nodiscard]] bool at_rest() const override;

private:
    using turn = course::turn;
    using step = std::function<void()>;

    struct seat {
        explicit seat(bool leads_once) : once{leads_once}, now{leads_once} {}

        const bool once;
        detail::participation now;
        seat_judge judge;
        std::size_t words = 0;     // number of the user's further actions
        bool closes_next = false;  // closes when it leads next
        // State of the code that executes the state machine's actions.
        std::map<turn, core::contender_id> requests;  // contenders that wait or hold, by turn
        // Turns (stays in the election's queue) that the participant gave up, perhaps before it requested the lock.
        std::set<turn> given_up;
        turn newest = 0;
        // State of the participant's function.
        bool leads = false;              // the function is called, and has not returned
        bool term_is_over = false;       // the function is about to return
        bool started_meanwhile = false;  // the user started the participant during the function
        std::uint64_t function = 0;      // the function's next planned event
    };

    // ---- time ----
    std::uint64_t after(core::duration pause, step step);
    void soon(seat& participant, step step);  // the step is a task or a notice
    [[nodiscard]] core::duration some_time();

    // ---- the participant's user ----
    void plan_word(seat& participant);
    void speak(seat& participant);
    void say_start(seat& participant);
    void say_close(seat& participant);
    void say_resign(seat& participant);

    // ---- code that executes the state machine's actions ----
    void feed(seat& participant, const course::input& input);
    void execute(seat& participant, const course::action& action);
    void enter(seat& participant, turn which);
    void leave(seat& participant, turn which);
    void give_back(seat& participant, turn which);
    void wait_out(seat& participant, turn which);
    void hand_over(seat& participant, turn which);
    void on_lost(seat& participant, turn which);
    void on_refused(seat& participant, turn which, const error& why);

    // ---- the participant's task ----
    using reader = std::function<void(const std::optional<core::reply>& folder)>;
    using writer = std::function<void(bool written)>;
    void begin(seat& participant, turn which);
    void decide(seat& participant, turn which, const std::optional<core::reply>& folder);
    void on_decision(seat& participant, turn which, bool leads);
    void work_on(seat& participant, turn which);
    void move(seat& participant, turn which, const std::optional<core::reply>& folder);
    void end_soon(seat& participant, turn which);
    void end(seat& participant, turn which);
    void read(reader then);
    void write(seat& participant, turn which, const core::stat& as_read, const std::string& text,
               writer then);

    [[nodiscard]] std::string id() const { return "client" + std::to_string(client_.id()); }

    sim_client& client_;
    const scenario& scenario_;
    dice& dice_;
    std::string folder_;
    std::deque<seat> seats_;
    std::map<std::uint64_t, step> planned_;
    std::uint64_t events_ = 0;
    std::uint64_t texts_ = 0;
    std::map<core::inquiry_id, reader> reads_;
    std::map<core::commit_id, writer> commits_;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
