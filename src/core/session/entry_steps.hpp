// SPDX-License-Identifier: Apache-2.0
// entry_steps: contenders of a session that enter their queues, alone or several in one transaction (creation_batch.hpp).
// Steps over the owners (session_owners.hpp).
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

    // The request of a caller for several contenders.
    void acquire(const core::acquire_together& request);
    // Contenders that waited for room in the window, or for an answer to a create, continue: first contenders in line,
    // then contenders that are to enter.
    void let_in();
    // The answer to a transaction.
    void on_reply(const for_creations& sent, const reply& answer);

private:
    // Calls `enter`, and sends the creates of all contenders that enter meanwhile in as few requests as possible.
    template <class F>
    void create_together(F&& enter);
    // Starts the next contender. Returns false if it cannot enter now.
    [[nodiscard]] bool start_next();
    [[nodiscard]] bool start_several();
    void answer_refused(const for_creations& sent, const reply& answer);
    // Answers contenders that have given up. Returns the creates of the other contenders.
    [[nodiscard]] std::vector<creation> take_out_leavers(const std::vector<creation>& all,
                                                         const reply& answer);

    session_owners& owners_;
};

}  // namespace turnstile::core
