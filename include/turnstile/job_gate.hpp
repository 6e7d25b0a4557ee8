// SPDX-License-Identifier: Apache-2.0
// job_gate: lets a job run at most once per period over all instances.
//
// Purpose: every instance has the same timer; the first to come runs the job, the others learn that it
// has been run.
//
//     turnstile::job_gate nightly{servers, "/jobs/invoices", {.period = 24h, .at_most_for = 2h}};
//     auto report = nightly.run([](turnstile::job_run& run) { send_invoices(run.number()); });
//     if (report && report->verdict == turnstile::job_verdict::not_due) log(report->retry_in);
//
// The start is written down at the servers, under the lock and only if the lock still stands, before the
// job begins; so a job that was started is never started again within its period, whatever becomes of
// whichever instance runs it. Periods are measured by the stamps that the servers' leader gives to what is
// written: the instances' clocks do not matter.
//
// The record is a persistent znode beside the lock's path, `<path>-record`. How to use it:
// docs/how-to/job_gate.md; the protocol step by step: docs/why/job_gate.md.
//
// Thread safety: all members from any thread. Threads: none; the job runs in the caller's.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// ShedLock's terms, and the period. All instances should have the same. Each is ten years at most.
struct job_rules {
    // From one start to the next at least so long. Zero: no period, only what follows.
    boottime_clock::duration period{};
    // The next start is at least so long after this one, however soon the job ends.
    boottime_clock::duration at_least_for{};
    // A run whose end was never written down (its process was killed, lost the lock, is stopped) counts
    // as running for so long; then the job may be started again. Longer than any run.
    boottime_clock::duration at_most_for = std::chrono::hours{1};
};

enum class job_state { never_run, running, succeeded, failed };

// The latest run, as it was written down. Times are milliseconds since 1970 by the leader's clock.
struct job_record {
    job_state state = job_state::never_run;
    std::uint64_t number = 0;  // counts the starts from 1
    std::string by{};          // which instance
    std::int64_t started = 0;
    std::int64_t ended =
        0;  // 0 while it runs, and in the report of a run whose end's stamp could not be read
    std::uint64_t missed = 0;  // whole periods without a start, before this one
    friend bool operator==(const job_record&, const job_record&) = default;
};

enum class job_verdict {
    ran,      // now, by this call
    not_due,  // the period, or at_least_for, is not over
    running,  // elsewhere, as far as is known; or it was started and its end never written down
};

struct job_report {
    job_verdict verdict = job_verdict::ran;
    job_record record{};  // as it is afterwards
    // Unless it ran, when to try again; never zero then. `running`: the job may be due sooner, or later, than that.
    boottime_clock::duration retry_in{};
    // It ran, and its end could not be written down (the lock was lost meanwhile, say): others take it
    // for running until at_most_for is over.
    std::optional<error> unrecorded{};
};

// What a job sees of its run.
class job_run {
public:
    [[nodiscard]] std::uint64_t number() const noexcept { return record_.number; }
    // Whole periods that went by without a start.
    [[nodiscard]] std::uint64_t missed() const noexcept { return record_.missed; }
    // Whether at_most_for has passed: another instance may start the job, too.
    [[nodiscard]] bool overdue() const noexcept { return boottime_clock::now() >= until_; }
    // Triggered when the lock is lost: others may start the job once the period and at_most_for are over.
    [[nodiscard]] TURNSTILE_EXPORT std::stop_token lost() const noexcept;
    // The hold: for its fencing token, and for what is written under it.
    [[nodiscard]] guard& lock() noexcept { return lock_; }

private:
    friend class job_gate;
    job_run(guard& lock, const job_record& record, boottime_clock::time_point until) noexcept
        : lock_{lock}, record_{record}, until_{until} {}

    guard& lock_;
    const job_record& record_;
    boottime_clock::time_point until_;
};

class TURNSTILE_EXPORT job_gate {
public:
    // `id`: what the record calls this instance; empty: "<host>-<pid>". Throws std::system_error: bad_path,
    // bad_option (a duration; no period, at_least_for nor at_most_for; the id), closed.
    job_gate(const client& servers, std::string_view path, job_rules rules, std::string id = {});
    ~job_gate();
    job_gate(const job_gate&) = delete;
    job_gate& operator=(const job_gate&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;

    // Runs the job in this thread if it is due and no other instance runs it. Without a time-out it does not
    // wait: `running` if another instance holds the lock. With one it waits so long for the lock, and
    // then looks whether the job is still due. What the job throws is written down as failed and thrown
    // on. Errors, after which the job was not run: those of mutex::acquire() and guard::commit(); `busy`, or `timeout` with
    // a time-out, also if the lock at the path is held by another recipe (a mutex, `turnstile run`), which
    // client_options::foreign_kinds makes a `bad_option`. After
    // outcome_unknown, and after the loss of the lock (session_lost, removed, ...), the start may have been written
    // down, and then counts as a run.
    //
    // The time-out ends what comes before the start is written, and `running` comes at most a second after it;
    // the start, and the end after the job, take the session time-out at most. All but the job returns at once when
    // the lock is lost or `options.stop` is triggered. A token that was triggered while the job ran leaves a second to
    // write the end down. The job itself looks at lost() and at its own token.
    result<job_report> run(const std::function<void(job_run&)>& job, acquire_options options = {});

    // The latest run; needs no lock.
    [[nodiscard]] result<job_record> last(const query_options& options = {}) const;

private:
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
