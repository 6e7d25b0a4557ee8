// SPDX-License-Identifier: Apache-2.0
// job_gate: lets a job run at most once per period, over all instances of a service.
//
// Use it if every instance has the same timer: the first instance runs the job, and the others learn that the job has
// run.
//
//     turnstile::job_gate nightly{servers, "/jobs/invoices", {.period = 24h, .at_most_for = 2h}};
//     auto report = nightly.run([](turnstile::job_run& run) { send_invoices(run.number()); });
//     if (report && report->verdict == turnstile::job_verdict::not_due) log(report->retry_in);
//
// Before the job begins, the gate writes a record of the start at the servers, while it holds the lock at the path. The
// servers refuse the record if the lock is lost. So after a start no instance starts the job again within the period,
// whatever happens to the instance that runs it. Periods are measured by the time stamps that the servers' leader gives
// to the record, so the clocks of the instances do not matter.
//
// The record is a persistent znode beside the lock's path, `<path>-record`. How to use a gate: docs/how-to/job_gate.md.
// The protocol step by step: docs/why/job_gate.md.
//
// Thread safety: any thread may call any member. The gate starts no thread; the job runs in the caller's thread.
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

// The rules by which a job may start again. All instances should have the same rules. Each duration is at most ten
// years. `at_least_for` and `at_most_for` are rules of ShedLock, a Java library.
struct job_rules {
    // The shortest time from one start to the next start. Zero: only `at_least_for` and `at_most_for` apply.
    boottime_clock::duration period{};
    // The shortest time from one start to the next start, like `period`. The longer of the two times applies.
    // job_run::missed() uses only `period`.
    boottime_clock::duration at_least_for{};
    // The time for which the gate considers a run to be in progress if the run's end is never recorded, because its
    // process was killed, was stopped or lost the lock. After that time the job may start again. Choose a value longer
    // than any run.
    boottime_clock::duration at_most_for = std::chrono::hours{1};
};

// The state of the latest run.
enum class job_state { never_run, running, succeeded, failed };

// The record of the latest run. Times are milliseconds since 1970, on the servers' leader's clock.
struct job_record {
    job_state state = job_state::never_run;  // state of this run
    std::uint64_t number = 0;                // number of starts, from 1
    std::string by{};                        // name of the instance
    std::int64_t started = 0;                // time of the start; 0 before the first start
    // Time of the end; 0 while the run is in progress. In the result of run() the value is also 0 if the call could not
    // read the time stamp of the end.
    std::int64_t ended = 0;
    std::uint64_t missed = 0;  // whole periods without a start, before this start
    friend bool operator==(const job_record&, const job_record&) = default;
};

// States whether a call of run() ran the job, or why it did not.
enum class job_verdict {
    ran,      // this call ran the job
    not_due,  // the period, or at_least_for, has not passed
    // Another instance runs the job, or the end of the latest run was never recorded.
    running,
};

// The result of run().
struct job_report {
    job_verdict verdict = job_verdict::ran;  // result of the call
    job_record record{};                     // the record after the call
    // If the job did not run: the time after which to try again, never zero. If the verdict is `running`, the time is
    // an estimate: the job may be due sooner or later.
    boottime_clock::duration retry_in{};
    // Set if the job ran, but its end could not be recorded, for example because the lock was lost. The other instances
    // consider the job running until at_most_for has passed.
    std::optional<error> unrecorded{};
};

// A run of the job. The gate passes this object to the job's function.
class job_run {
public:
    // Returns the number of this start, counted from 1.
    [[nodiscard]] std::uint64_t number() const noexcept { return record_.number; }
    // Returns how many whole periods passed without a start, before this start.
    [[nodiscard]] std::uint64_t missed() const noexcept { return record_.missed; }
    // Returns whether the time at_most_for has passed since the start of this run. If the period has passed as well,
    // another instance may start the job.
    [[nodiscard]] bool overdue() const noexcept { return boottime_clock::now() >= until_; }
    // Returns a stop token that is triggered when the lock is lost. Other instances may start the job once the period
    // and at_most_for have passed.
    [[nodiscard]] TURNSTILE_EXPORT std::stop_token lost() const noexcept;
    // Returns the hold on the lock, for its fencing token and for commit().
    [[nodiscard]] guard& lock() noexcept { return lock_; }

private:
    friend class job_gate;
    job_run(guard& lock, const job_record& record, boottime_clock::time_point until) noexcept
        : lock_{lock}, record_{record}, until_{until} {}

    guard& lock_;
    const job_record& record_;
    boottime_clock::time_point until_;
};

// The gate of one job. All instances of the service use the same path.
class TURNSTILE_EXPORT job_gate {
public:
    // Makes a gate. `id` is the name of this instance in the record of each run; empty: "<host>-<pid>". Throws
    // std::system_error: `bad_path`; `bad_option` (a duration is out of range, all three durations are zero, or the id
    // breaks a rule); `closed` (`servers` was moved from).
    job_gate(const client& servers, std::string_view path, job_rules rules, std::string id = {});
    // Refuses a temporary client, which would close at the end of the statement.
    job_gate(client&&, std::string_view, job_rules, std::string = {}) = delete;
    ~job_gate();
    job_gate(const job_gate&) = delete;
    job_gate& operator=(const job_gate&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;

    // Runs the job in this thread, if it is due and no other instance runs it. If the options have no timeout, the call
    // does not wait, and returns `running` if another instance holds the lock. If they have a timeout, the call waits
    // for the lock, and then checks whether the job is still due. If the job throws an exception, the gate records the
    // run as `failed`, and passes the exception on to the caller.
    //
    // Times. The timeout limits all steps before the gate records the start. If another instance runs the job, the call
    // returns `running` at most a second after the timeout. Recording the start takes at most one session timeout, and
    // so does recording the end after the job. When the lock is lost or `options.stop` is triggered, all steps except
    // the job end at once. Exception: if `options.stop` is triggered while the job runs, the gate still takes up to a
    // second to record the end. The job itself must watch lost() and a stop token of the program.
    //
    // Errors: the errors of mutex::acquire() and guard::commit(). After an error the job has not run. `busy` (or
    // `timeout`, if the options have a timeout) also means that another recipe (a mutex, `turnstile run`) holds the
    // lock at the path; client_options::foreign_kinds can turn that into `bad_option`. After `outcome_unknown`, and
    // after the loss of the lock (`session_lost`, `removed` and others), the start may have been recorded. Then all
    // gates treat this start as a run, although the job has not run.
    result<job_report> run(const std::function<void(job_run&)>& job, acquire_options options = {});
    // Takes a timeout or a deadline in place of options: run(job, 30s).
    template <waiting_time W>
    result<job_report> run(const std::function<void(job_run&)>& job, const W& limit) {
        return run(job, acquire_options{.timeout = limit});
    }

    // Returns the record of the latest run. The call takes no lock.
    [[nodiscard]] result<job_record> last(const query_options& options = {}) const;
    // Takes a timeout or a deadline in place of options: last(2s).
    template <waiting_time W>
    [[nodiscard]] result<job_record> last(const W& limit) const {
        return last({.timeout = limit});
    }

private:
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
