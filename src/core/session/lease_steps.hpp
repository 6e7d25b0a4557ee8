// SPDX-License-Identifier: Apache-2.0
// lease_steps: what a session does when its lease ends, breaks, or cannot be kept (client_life.hpp).
//
// Thread safety: none.
#pragma once

#include "core/session/client_life.hpp"

namespace turnstile::core {

class lease_steps {
public:
    explicit lease_steps(client_life& life) : life_{life} {}

    // Holds whose lease is over are lost.
    void end_if_over();
    // A session that nothing proves any more makes way for a new one.
    void replace_if_broken();
    // The same with one that no server takes back.
    void abandon_if_refused();
    // Contenders that can never be granted on this connection give up.
    void fail_hopeless();

private:
    client_life& life_;
};

}  // namespace turnstile::core
