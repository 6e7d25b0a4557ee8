// SPDX-License-Identifier: Apache-2.0
// recipe_work: threads that take a lock and, while they hold it, execute a recipe: reads and commits, one after the
// other. The recipes' own steps: commit_work.cpp, gate_work.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verification/recipe_judge.hpp"
#include "verification/work/crew.hpp"

namespace turnstile::simulation {

struct recipe_worker : crew_member {
    int step = 0;                                 // the recipe's
    core::awaited_id request{};                   // the answer for which it waits
    std::optional<core::reply> reply;             // to its latest read
    std::optional<core::commit_outcome> written;  // the latest commit's
    std::string text;                             // text of that commit
    core::stat seen;                              // for the recipe
};

// Its `go_on` takes the next step: the hold was granted, or the answer has arrived.
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
    // Returns a text that no other client writes.
    [[nodiscard]] std::string unique_text(const worker& actor, const std::string& text);

private:
    [[nodiscard]] std::size_t most_rounds() const override { return 2 * scenario_.rounds; }
    void acquire(worker& actor) override;

    std::uint64_t texts_ = 0;
};

}  // namespace turnstile::simulation
