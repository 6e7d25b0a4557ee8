// SPDX-License-Identifier: Apache-2.0
// entry_steps: lets contenders of a session enter their queues, alone or several in one transaction (batches.hpp,
// session_owners.hpp).
//
// Thread safety: none.
#pragma once

#include <vector>

#include "core/session/contender_steps.hpp"
#include "core/session/session_owners.hpp"

namespace turnstile::core {

class entry_steps {
public:
    explicit entry_steps(session_owners& owners) : owners_{owners} {}

    void acquire(const core::acquire_together& request);
    // Continues contenders that waited because too many requests were in progress, or because creates had no answer
    // yet. First continues waiters with a znode, then contenders that must create their znodes.
    void let_in();
    void on_reply(const for_creations& sent, const reply& answer);

private:
    // Calls `enter`, and sends the creates that `enter` adds in as few requests as possible.
    template <class F>
    void create_together(F&& enter);
    // Lets the next contender without a znode send its requests. Returns false if no contender can enter its queue now.
    [[nodiscard]] bool start_next();
    [[nodiscard]] bool start_several();
    void answer_refused(const for_creations& sent, const reply& answer);
    void note_probe(const reply& beside);
    // Passes the answer to those contenders of `all` that have given up. Returns the creates of the other contenders.
    [[nodiscard]] std::vector<creation> take_out_leavers(const std::vector<creation>& all,
                                                         const reply& answer);

    session_owners& owners_;
};

}  // namespace turnstile::core
