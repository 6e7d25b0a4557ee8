// SPDX-License-Identifier: Apache-2.0
// recipe_work: threads that take a lock and execute a recipe's reads and commits under it. commit_work.cpp and
// gate_work.cpp have the recipes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verification/recipe_judge.hpp"
#include "verification/work/crew.hpp"

namespace turnstile::simulation {

struct recipe_worker : crew_member {
    int step = 0;                                 // step of the recipe
    core::awaited_id request{};                   // the request that the worker waits for
    std::optional<core::reply> reply;             // reply to the latest read
    std::optional<core::commit_outcome> written;  // outcome of the latest commit
    std::string text;                             // text that the latest commit writes
    core::stat seen;                              // the stat that the recipe remembers
};

// A derived class overrides crew::go_on(), which makes the recipe's next step after the grant or after an answer.
class recipe_work : public crew<recipe_worker> {
public:
    using crew::crew;

    void hear(const core::notice& notice) override;
    void answered(const core::answer& answer) override;
    void answered(const core::commit_answer& answer) override;

protected:
    void read(worker& actor, const std::string& path);
    void commit(worker& actor, std::vector<core::write_part>&& parts, std::string text,
                std::vector<std::string>&& standing = {});
    void pause(worker& actor, core::duration length) { plan(actor, length); }
    void release(worker& actor);
    [[nodiscard]] static bool committed(const worker& actor) {
        return actor.written && std::holds_alternative<core::committed>(*actor.written);
    }
    [[nodiscard]] std::string unique_text(const worker& actor, const std::string& text);

private:
    [[nodiscard]] std::size_t most_rounds() const override { return 2 * scenario_.rounds; }
    void acquire(worker& actor) override;

    std::uint64_t texts_ = 0;
};

}  // namespace turnstile::simulation
