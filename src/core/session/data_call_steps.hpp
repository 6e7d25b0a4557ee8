// SPDX-License-Identifier: Apache-2.0
// data_call_steps: the steps (session_owners.hpp) for the calls that read or write data (data_calls.hpp).
//
//     commit_steps    handles the events of guarded writes
//     inquiry_steps   handles the events of reads and writes without a hold
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/session/session_owners.hpp"

namespace turnstile::core {

// commit_steps: handles the events of the guarded writes of a session's holds (guarded_write.hpp).
class commit_steps {
public:
    explicit commit_steps(session_owners& owners) : owners_{owners} {}

    void commit(const core::commit& request);
    void cancel(commit_id commit, const error& why);
    void on_reply(contender_id hold, const reply& answer);
    // Continues all commits, when a connection has begun or after a pause.
    void on_attached();
    void end(const error& why);
    // Called after each event of the session. Ends the commits of lost holds, and continues commits that waited until
    // their hold had written its own znode.
    void follow_holds();

private:
    using effects = std::vector<write_effect>;

    // If the hold has commits: calls `event(guarded_writes&, effects&)`, executes the effects, and calls go_on.
    template <class F>
    void with(contender_id hold, F&& event);
    // Lets the hold's commits send their next request, and lets the hold do the work that waited for its commits.
    void go_on(contender_id hold);
    template <class F>
    void with_all(F&& event);
    void let_hold_proceed(contender_id hold);
    // If the hold was lost: fails its unsent commits with the reason of the loss.
    void end_if_lost(contender_id hold);

    // ---- execution of the effects of an event, one function for each effect ----
    void carry_out(contender_id hold);
    void carry_out(contender_id hold, write_effects::submit_for_commits&& request);
    void carry_out(contender_id hold, write_effects::retry_commits_later&& pause);
    void carry_out(contender_id hold, write_effects::version_became&& known);
    void carry_out(contender_id hold, write_effects::apply&& found);
    void carry_out(contender_id hold, write_effects::tell_outcome&& told);
    [[nodiscard]] session_view session() const;
    [[nodiscard]] own_znode own(contender_id hold) const;

    session_owners& owners_;
};

// inquiry_steps: sends the reads and writes of callers that have no hold, repeats each of them until the servers have
// answered it, and passes the answers to the callers.
class inquiry_steps {
public:
    explicit inquiry_steps(session_owners& owners) : owners_{owners} {}

    void start(inquiry_id id, const operation& op, std::optional<time_point> deadline,
               std::uint64_t only_on = 0);
    void send_all();
    void on_reply(inquiry_id id, const reply& answer);
    void answer(inquiry_id id, std::variant<reply, error>&& outcome);
    void fail_all(const error& why);

private:
    void send(inquiry_id id);

    session_owners& owners_;
};

}  // namespace turnstile::core
