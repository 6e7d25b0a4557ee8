// SPDX-License-Identifier: Apache-2.0
// visited: all states in the order of discovery, each with the state and the step that first led to it. An
// open-addressing table has 4-byte indexes into an array of states. A state takes about 50 bytes in all.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "verification/search/position.hpp"
#include "verification/search/step.hpp"

namespace turnstile::search {

using state_number = std::uint32_t;

class visited {
public:
    visited() : table_(1U << 16U, k_none) {}

    // Adds the state if it is new. Returns the state's number, and true if it is new.
    std::pair<state_number, bool> add(const position& position, state_number parent,
                                      const step& by) {
        if (states_.size() * 3 > table_.size() * 2) grow();
        auto& slot = slot_of(position);
        if (slot != k_none) return {slot, false};
        slot = static_cast<state_number>(states_.size());
        states_.push_back(position);
        origins_.push_back({parent, by});
        return {slot, true};
    }
    [[nodiscard]] state_number find(const position& position) { return slot_of(position); }

    [[nodiscard]] const position& operator[](state_number which) const { return states_[which]; }
    [[nodiscard]] state_number parent(state_number of) const { return origins_[of].parent; }
    [[nodiscard]] const step& by(state_number of) const { return origins_[of].by; }
    [[nodiscard]] std::size_t size() const noexcept { return states_.size(); }

private:
    static constexpr state_number k_none = UINT32_MAX;
    struct origin {
        state_number parent;
        step by;
    };

    state_number& slot_of(const position& position) {
        auto at = position.hash() & (table_.size() - 1);
        while (table_[at] != k_none && !(states_[table_[at]] == position))
            at = (at + 1) & (table_.size() - 1);
        return table_[at];
    }
    void grow() {
        table_.assign(table_.size() * 2, k_none);
        for (state_number number = 0; number != states_.size(); ++number)
            slot_of(states_[number]) = number;
    }

    std::vector<position> states_;
    std::vector<origin> origins_;
    std::vector<state_number> table_;
};

}  // namespace turnstile::search
