// SPDX-License-Identifier: Apache-2.0
// dice: makes all random choices of a simulated history from one seed. Equal seeds give equal choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::simulation {

class dice {
public:
    explicit dice(std::uint64_t seed) : source_{seed} {}

    [[nodiscard]] bool chance(double probability) { return source_.uniform01() < probability; }
    // Returns a number from 0 to bound - 1. The bound must not be zero.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return source_() % bound; }
    // Returns a number from low to high, both included.
    [[nodiscard]] std::uint64_t from_to(std::uint64_t low, std::uint64_t high) {
        return low + below(high - low + 1);
    }
    [[nodiscard]] double between(double low, double high) {
        return low + (high - low) * source_.uniform01();
    }
    [[nodiscard]] core::duration between(core::duration low, core::duration high) {
        return low + part(high - low, source_.uniform01());
    }
    [[nodiscard]] core::duration up_to(core::duration high) { return between({}, high); }
    template <class T>
    [[nodiscard]] const T& pick(const std::vector<T>& some) {
        return some[below(some.size())];
    }
    template <class T>
    void shuffle(std::vector<T>& some) {
        for (std::size_t left = some.size(); left > 1; --left)
            std::swap(some[left - 1], some[below(left)]);
    }

    [[nodiscard]] static core::duration part(core::duration whole, double factor) {
        return core::duration{
            static_cast<core::duration::rep>(static_cast<double>(whole.count()) * factor)};
    }

private:
    base::random source_;
};

}  // namespace turnstile::simulation
