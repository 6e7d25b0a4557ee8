// SPDX-License-Identifier: Apache-2.0
// silence_steps: leaves a connection that answers nothing, once a server that leads answers over another one, and no hold
// nor place in a queue is risked by that. docs/why/silence.md
//
// Thread safety: none; holds a reference to the client life for one event.
#pragma once

#include "core/session/client_life.hpp"

namespace turnstile::core {

class silence_steps {
public:
    explicit silence_steps(client_life& life) : life_{life} {}

    void look();
    void found_elsewhere(const link_event& event);

private:
    // A contender has a znode that a replaced session would lose, or fails with its session.
    [[nodiscard]] bool has_stakes() const;
    // The lease outlives a move that takes as long as the silence has.
    [[nodiscard]] bool lease_outlives_move() const;

    client_life& life_;
};

}  // namespace turnstile::core
