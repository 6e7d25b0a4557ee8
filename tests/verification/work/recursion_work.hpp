// SPDX-License-Identifier: Apache-2.0
// recursion_work: threads that enter a lock again while they hold it, and release it once for each entry, by the
// shipped rules (owner_table). The owner is a thread, or in some histories an owner token that threads share.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <vector>

#include "recipe/lock/reentrant_holds.hpp"
#include "verification/recipe_judge.hpp"
#include "verification/work/crew.hpp"

namespace turnstile::simulation {

struct recursive_worker : crew_member {
    struct share {
        lock_owner owner;
        core::contender_id by{};
    };
    std::vector<share> shares;  // the worker's shares, the latest last
};

class recursion_work final : public crew<recursive_worker> {
public:
    using crew::crew;

    void hear(const core::notice& notice) override;

private:
    struct held {
        core::contender_id by{};
        core::time_point until = core::time_point::max();  // limit of this share
    };
    using table = detail::owner_table<lock_owner, held>;

    void acquire(worker& actor) override;
    void go_on(worker& actor) override;
    [[nodiscard]] std::size_t most_rounds() const override { return 2 * scenario_.rounds; }

    void enter(worker& actor, const lock_owner& owner);
    void queue(worker& actor, const lock_owner& owner);
    void take_share(worker& actor, const lock_owner& owner);
    void leave(worker& from, std::size_t which, const worker& caller);
    void meddle(const worker& actor);
    [[nodiscard]] bool valid(const held& hold) const;

    table owners_;
    std::map<core::contender_id, lock_owner> queued_;
    std::set<core::contender_id> lost_;
};

}  // namespace turnstile::simulation
