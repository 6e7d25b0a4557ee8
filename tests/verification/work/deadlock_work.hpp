// SPDX-License-Identifier: Apache-2.0
// deadlock_work: threads that take a second lock while they hold a first one, in any order and without a deadline. A
// waiting thread searches for a cycle by the rules of deadlock_detector (wait_for_graph). In a cycle, the thread that
// began to wait last gives up its wait.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "recipe/deadlock/wait_for_graph.hpp"
#include "verification/work/crew.hpp"

namespace turnstile::simulation {

// State of a search for a deadlock. The search reads the queues of some locks, one lock after the other.
struct deadlock_look {
    std::vector<std::string> paths;
    std::vector<detail::lock_queue> queues = {};
    std::vector<std::string> children =
        {};                // the children of the folder that was read latest, in order
    std::size_t read = 0;  // contenders read so far
    // Result of the first search, while the second runs.
    std::optional<deadlock> found = {};
};

struct deadlock_worker : crew_member {
    std::string owner;
    std::string second_folder;
    std::optional<core::contender_id> first;   // the lock taken first
    std::optional<core::contender_id> second;  // the lock taken second
    bool wants_second = false;
    std::optional<deadlock_look> look;
    core::inquiry_id request{};
    std::optional<core::reply> reply;
};

class deadlock_work final : public crew<deadlock_worker> {
public:
    using crew::crew;

    void hear(const core::notice& notice) override;
    using application::answered;
    void answered(const core::answer& answer) override;

private:
    void acquire(worker& actor) override;
    void lose_patience(worker& actor) override;
    void go_on(worker& actor) override;
    [[nodiscard]] std::size_t most_rounds() const override { return 2 * scenario_.rounds; }

    void queue(worker& actor, const std::string& folder);
    void let_go(worker& actor);
    void ask(worker& actor, core::operation&& op);
    void ask_on(worker& actor);
    void handle(deadlock_look& look, const core::reply& answer) const;
    void conclude(worker& actor);
    void look_later(worker& actor);
};

}  // namespace turnstile::simulation
