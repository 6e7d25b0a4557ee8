// SPDX-License-Identifier: Apache-2.0
// election_work: participants of an election with a function, by the state that ships
// (recipe/election/participation.hpp). Their users start and close them, and the executor, the callbacks and the
// function come when they come: each errand and each piece of news takes a time of its own, so that
// they overtake each other as threads do.
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
    using course = detail::participation;
    using turn = course::turn;
    using step = std::function<void()>;

    struct seat {
        explicit seat(after_term_policy option) : then{option}, now{option} {}

        const after_term_policy then;
        course now;
        seat_judge judge;
        std::size_t words = 0;     // that its user will still say
        bool closes_next = false;  // when it leads
        // What the shell keeps.
        std::map<turn, core::acquisition_id> asked;  // that wait or are held
        std::set<turn> given_up;                     // maybe before they were asked for
        turn newest = 0;
        // The function.
        bool leads = false;              // it is called
        bool term_is_over = false;       // and is to return
        bool started_meanwhile = false;  // since then
        std::uint64_t function = 0;      // what it does next
    };

    // ---- time ----
    std::uint64_t after(core::duration pause, step step);
    void soon(seat& seat, step step);  // an errand, or news
    [[nodiscard]] core::duration some_time();

    // ---- the user ----
    void plan_word(seat& seat);
    void speak(seat& seat);
    void say_start(seat& seat);
    void say_close(seat& seat);
    void say_resign(seat& seat);

    // ---- the shell ----
    void feed(seat& seat, const course::input& input);
    void execute(seat& seat, const course::action& action);
    void enter(seat& seat, turn which);
    void leave(seat& seat, turn which);
    void give_back(seat& seat, turn which);
    void hand_over(seat& seat, turn which);
    void on_lost(seat& seat, turn which);
    void on_refused(seat& seat, turn which, const error& why);

    // ---- the task ----
    using reader = std::function<void(const std::optional<core::reply>& folder)>;
    using writer = std::function<void(bool written)>;
    void begin(seat& seat, turn which);
    void decide(seat& seat, turn which, const std::optional<core::reply>& folder);
    void on_decision(seat& seat, turn which, bool leads);
    void work_on(seat& seat, turn which);
    void move(seat& seat, turn which, const std::optional<core::reply>& folder);
    void end_soon(seat& seat, turn which);
    void end(seat& seat, turn which);
    void read(reader then);
    void write(seat& seat, turn which, const core::stat& as_read, const std::string& text,
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
    std::map<core::acquisition_id, reader> reads_;
    std::map<core::acquisition_id, writer> commits_;
    bool stopping_ = false;
};

}  // namespace turnstile::simulation
