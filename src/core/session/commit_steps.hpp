// SPDX-License-Identifier: Apache-2.0
// commit_steps: what a session does with the guarded writes of its holds (client_life.hpp, guarded_write.hpp).
//
// Thread safety: none.
#pragma once

#include "core/session/client_life.hpp"

namespace turnstile::core {

class commit_steps {
public:
    explicit commit_steps(client_life& life) : life_{life} {}

    void commit(const core::commit& request);
    void cancel(acquisition_id commit, const error& why);
    // True if the hold is released after its commits: only while its znode stands they can be found out about.
    bool release_later(const leave& release);

    void on_reply(acquisition_id hold, const reply& answer);
    // All go on: there is a connection, or what came to nothing is sent again.
    void on_attached();
    // The session is over.
    void end(const error& why);
    // The hold is over. Comes in the middle of a call of the hold, which must not be called again.
    void lose(acquisition_id hold, const error& why);
    // The hold has done with its znode, perhaps: commits may have waited for that.
    void let_proceed(acquisition_id hold);

private:
    class context;

    // `call(guarded_writes&, write_context&)`, if the hold has writes. A call may come in the middle of one for the
    // same hold: the outer one sees to the rest.
    template <class F>
    void with(acquisition_id hold, F&& call);
    template <class F>
    void with_all(F&& call);
    void let_hold_proceed(acquisition_id hold);
    void tell(acquisition_id commit, commit_outcome&& outcome);

    client_life& life_;
};

}  // namespace turnstile::core
