// SPDX-License-Identifier: Apache-2.0
#include "verification/shrink.hpp"

#include <algorithm>
#include <vector>

namespace turnstile::simulation {

namespace {

constexpr int k_most_trials = 3'000;

class shrinker {
public:
    shrinker(reduction from, const std::function<bool(const reduction&)>& fails)
        : best_{std::move(from)}, fails_{fails} {}

    void try_fewer_clients(std::size_t clients) {
        for (std::size_t fewer = 1; fewer < std::min(clients, best_.clients); ++fewer) {
            auto smaller = best_;
            smaller.clients = fewer;
            if (accept(std::move(smaller))) return;
        }
    }
    void try_one_round() {
        auto smaller = best_;
        smaller.rounds = 1;
        if (best_.rounds != 1) accept(std::move(smaller));
    }
    void leave_out_disturbances(std::uint64_t drawn) {
        if (!best_.only) {
            best_.only.emplace();
            for (std::uint64_t number = 0; number != drawn; ++number) best_.only->insert(number);
        }
        for (auto chunk = best_.only->size(); chunk != 0; chunk /= 2) leave_out_chunks(chunk);
    }
    [[nodiscard]] const reduction& best() const noexcept { return best_; }

private:
    // Leaves out the last faults first, because the random numbers of earlier faults then stay the same.
    void leave_out_chunks(std::size_t chunk) {
        const std::vector<std::uint64_t> all{best_.only->begin(), best_.only->end()};
        for (auto end = all.size(); end != 0;) {
            const auto begin = end - std::min(chunk, end);
            disturbances::numbers kept = best_.only.value();
            for (auto i = begin; i != end; ++i) kept.erase(all[i]);
            accept({best_.clients, best_.rounds, std::move(kept)});
            end = begin;
        }
    }

    bool accept(reduction&& smaller) {
        if (trials_ == k_most_trials) return false;
        ++trials_;
        if (!fails_(smaller)) return false;
        best_ = std::move(smaller);
        return true;
    }

    reduction best_;
    const std::function<bool(const reduction&)>& fails_;
    int trials_ = 0;
};

}  // namespace

reduction shrink(reduction from, std::size_t clients, std::uint64_t drawn,
                 const std::function<bool(const reduction&)>& fails) {
    shrinker work{std::move(from), fails};
    work.leave_out_disturbances(drawn);
    work.try_fewer_clients(clients);
    work.try_one_round();
    work.leave_out_disturbances(drawn);
    return work.best();
}

reduction shrink(const outcome& broken) {
    return shrink(broken.reduced, broken.clients, broken.drawn, [&](const reduction& smaller) {
        return simulate(broken.seed, smaller).invariant == broken.invariant;
    });
}

}  // namespace turnstile::simulation
