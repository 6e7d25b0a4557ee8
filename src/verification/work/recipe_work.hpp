// SPDX-License-Identifier: Apache-2.0
// recipe_work: threads that take a lock and, while they hold it, do what a recipe does: reads and commits,
// one after the other. Recipes' own steps: commits in the source, gates in gate_work.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "simulation/recipe_judge.hpp"
#include "verification/work/crew.hpp"

namespace turnstile::simulation {

struct recipe_worker : crew_member {
    int step = 0;                                 // of the recipe
    core::acquisition_id asked{};                 // what it waits for
    std::optional<core::reply> reply;             // of its latest read
    std::optional<core::commit_outcome> written;  // of its latest commit
    std::string text;                             // of that
    core::stat seen;                              // for the recipe
};

// Its `go_on` does the next step: the hold was granted, or what was asked for is there.
class recipe_work : public crew<recipe_worker> {
public:
    using crew::crew;

    void hear(const core::notice& what) override;
    void answered(const core::answer& what) override;
    void answered(const core::commit_answer& what) override;

protected:
    void read(worker& one, const std::string& path);
    void commit(worker& one, core::multi_part&& part, std::string text);
    void pause(worker& one, core::duration length) { plan(one, length); }
    void release(worker& one);
    [[nodiscard]] static bool committed(const worker& one) {
        return one.written && std::holds_alternative<core::committed>(*one.written);
    }
    // A text that no other client writes.
    [[nodiscard]] std::string unique_text(const worker& one, const std::string& text);

private:
    [[nodiscard]] std::size_t most_rounds() const override { return 2 * scenario_.rounds; }
    void acquire(worker& one) override;

    std::uint64_t texts_ = 0;
};

[[nodiscard]] std::unique_ptr<application> make_work(sim_client& client, const scenario& what,
                                                     dice& chance);

}  // namespace turnstile::simulation
