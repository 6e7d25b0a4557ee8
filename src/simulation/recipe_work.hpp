// recipe_work: threads that take a lock and, while they hold it, do what a recipe does: reads and commits,
// one after the other. Recipes' own steps: commits and elections in the source, gates in
// gate_work.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/recipe_judge.hpp"
#include "simulation/scenario.hpp"
#include "simulation/sim_client.hpp"

namespace turnstile::simulation {

class recipe_work : public application {
public:
    recipe_work(sim_client& client, const scenario& what, dice& chance);

    void start() override;
    void hear(const core::notice& what) override;
    void answered(const core::answer& what) override;
    void answered(const core::commit_answer& what) override;
    void wake(const worker_due& what) override;
    void stop() override { stopping_ = true; }
    [[nodiscard]] bool at_rest() const override;

protected:
    enum class doing { resting, waiting, holding, done };
    struct worker {
        doing what = doing::resting;
        std::size_t rounds = 0;
        std::uint64_t serial = 0;  // of the event that is planned; older ones are void
        core::acquisition_id current{};
        std::string folder;
        std::string znode;                            // of the hold
        int step = 0;                                 // of the recipe
        core::acquisition_id asked{};                 // what it waits for
        std::optional<core::reply> reply;             // of its latest read
        std::optional<core::commit_outcome> written;  // of its latest commit
        std::string text;                             // of that
        core::stat seen;                              // for the recipe
        bool flag = false;                            // for the recipe
    };

    // The hold was granted, or what was asked for is there: does the next step.
    virtual void go_on(worker& one) = 0;

    void read(worker& one, const std::string& path);
    void commit(worker& one, core::multi_part&& part, std::string text);
    void pause(worker& one, core::duration length) { plan(one, length); }
    void release(worker& one);
    [[nodiscard]] static bool committed(const worker& one) {
        return one.written && std::holds_alternative<core::committed>(*one.written);
    }
    // A text that nobody else writes.
    [[nodiscard]] std::string unique_text(const worker& one, const std::string& text);
    [[nodiscard]] core::duration some_time();

    sim_client& client_;
    const scenario& scenario_;
    dice& dice_;

private:
    void plan(worker& one, core::duration length);
    void acquire(worker& one);

    std::vector<worker> workers_;
    std::uint64_t texts_ = 0;
    bool stopping_ = false;
};

[[nodiscard]] std::unique_ptr<application> make_work(sim_client& client, const scenario& what,
                                                     dice& chance);

}  // namespace turnstile::simulation
