// SPDX-License-Identifier: Apache-2.0
#include "verification/work/commit_work.hpp"

#include <utility>

#include "verification/work/recipe_work.hpp"

namespace turnstile::simulation {

namespace {

constexpr const char* k_put_znode = "/state/put";
constexpr const char* k_made_parent = "/state/made";
constexpr const char* k_made_znode = "/state/made/deep";

// Threads that write under their holds. A thread may have several writes in progress, and may release before they end.
class commit_work final : public recipe_work {
public:
    using recipe_work::recipe_work;

private:
    void go_on(worker& actor) override {
        if (actor.step++ > 0 && dice_.chance(0.3)) return release(actor);
        const auto burst = dice_.from_to(1, 3);
        for (std::uint64_t i = 0; i != burst; ++i) {
            auto text = unique_text(actor, "commit");
            auto parts = dice_.chance(0.5) ? as_told(text) : planned(text);
            commit(actor, std::move(parts), std::move(text), further_holds(actor));
        }
        if (dice_.chance(0.3)) pause(actor, some_time());
    }

    // Returns a commit that may require certain znodes. Another commit may remove them before this commit arrives.
    [[nodiscard]] std::vector<core::write_part> as_told(const std::string& text) {
        const core::set_op written{k_state_znode, text};
        switch (dice_.below(6)) {
            case 0: return {core::remove_op{k_put_znode}, written};
            case 1: return {core::remove_op{k_made_znode}, written};
            case 2: return {core::remove_op{k_made_znode}, core::remove_op{k_made_parent}, written};
            default: return {written};
        }
    }
    [[nodiscard]] std::vector<core::write_part> planned(const std::string& text) {
        switch (dice_.below(3)) {
            case 0: return {core::put_op{k_state_znode, text}};
            case 1: return {core::put_op{k_put_znode, text}};
            default: return {core::make_op{k_made_znode}, core::set_op{k_state_znode, text}};
        }
    }
    // Returns some holds of other threads of the client.
    [[nodiscard]] std::vector<std::string> further_holds(const worker& actor) {
        std::vector<std::string> znodes;
        for (const auto& other : workers_)
            if (&other != &actor && other.state == doing::holding && dice_.chance(0.5))
                znodes.push_back(other.znode);
        return znodes;
    }
};

}  // namespace

std::unique_ptr<application> make_commit_work(sim_client& client, const scenario& scenario,
                                              dice& chance) {
    return std::make_unique<commit_work>(client, scenario, chance);
}

}  // namespace turnstile::simulation
