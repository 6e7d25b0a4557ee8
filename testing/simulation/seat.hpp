// SPDX-License-Identifier: Apache-2.0
// seat: a participant of an election in a user's simulation. It uses recipe/election/participation.hpp, as the class
// `leader` does. `leader` calls a function of the user while it leads, and a `seat` calls handlers.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "recipe/election/participation.hpp"
#include "simulation/script.hpp"

namespace turnstile::simulation {

class seat {
public:
    seat(script& by, testing::simulated_client self, core::acquire&& request,
         testing::simulated_election&& election);

    // The next functions must be called in events of the client.
    void start() { on(detail::course::started{}); }
    void resign() { on(detail::course::resigned{}); }
    void close() { on(detail::course::closed{}); }

    // Returns the number of the acquire call whose hold makes the participant the leader; nothing if it does not lead.
    [[nodiscard]] std::optional<std::uint64_t> term() const;

private:
    using turn = detail::course::turn;
    struct stay {
        std::uint64_t call = 0;
        fencing_token token;
    };

    void on(const detail::course::input& event);
    void perform(const detail::course::enter_queue& step);
    void perform(const detail::course::leave_queue& step) { let_go(step.of); }
    void perform(const detail::course::call_function& step);
    void perform(const detail::course::stop& step);
    void perform(const detail::course::give_back_lead& step) { let_go(step.of); }
    void perform(const detail::course::pause& step);
    void begin(turn of);
    void let_go(turn of);

    script& script_;
    const testing::simulated_client self_;
    const core::acquire request_;
    const testing::simulated_election election_;
    detail::participation value_;
    std::map<turn, stay> stays_;
};

}  // namespace turnstile::simulation
