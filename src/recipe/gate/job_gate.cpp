// SPDX-License-Identifier: Apache-2.0
#include "turnstile/job_gate.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "core/contender/contender_errors.hpp"
#include "recipe/gate/gate_rules.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/node/stamped_node.hpp"
#include "recipe/operator/participants.hpp"

namespace turnstile {

namespace {

using namespace std::chrono_literals;

// Extra time after the caller's time limit: to write the end of a job that had to stop, or to read the record of a job
// that another participant runs.
constexpr std::chrono::seconds k_grace = 1s;

// The shortest pause before the next attempt to start a job that another participant runs.
constexpr std::chrono::seconds k_least_pause = 1s;

// The recipe's name in the holder metadata, by which a gate recognizes that the lock's holder is a gate, too.
constexpr std::string_view k_recipe = "job_gate";

}  // namespace

class TURNSTILE_NO_EXPORT job_gate::state {
public:
    state(const client& servers, std::string_view path, const job_rules& rules, std::string name)
        : terms{detail::terms_of(rules).value()},
          id{detail::checked_id(name)},
          queue{servers, path, core::contender_family::lock},
          record_path{queue.path() + "-record"} {}

    [[nodiscard]] result<job_record> parsed(const detail::stamped_data& found) const {
        if (!found.exists()) return job_record{};
        auto record = detail::parse_job(found.text, found.changed);
        if (!record && detail::rate_record::parse(found.text, found.changed))
            return error{errc::bad_option, queue.path() + " is the path of a rate_gate; give the " +
                                               "job_gate another path"};
        if (!record)
            return error{errc::protocol, record_path + " holds no record of a job: " + found.text};
        return std::move(*record);
    }

    // Starts the job if it is due. `lock` must be held. `limits` apply to the steps before the start.
    result<job_report> run(guard& lock, const std::function<void(job_run&)>& job,
                           const query_options& limits) const;
    // Returns the report for a caller that did not get the lock. `refusal` is the error of its acquire.
    result<job_report> running_elsewhere(const error& refusal, const query_options& limits) const;
    // Returns the error for a caller that did not get the lock because a mutex or another recipe holds it: then no
    // participant runs the job.
    error foreign_holder(const error& refusal, const contender& holder) const;
    // Returns the pause until the next attempt, from the job's record `now` and the latest known time of the servers'
    // clock.
    boottime_clock::duration pause_beside(const job_record& now) const;

    // Returns the deadline for requests that begin now: one session timeout from now. Without a deadline, the requests
    // would wait for servers that do not answer.
    [[nodiscard]] boottime_clock::time_point phase_end() const {
        return boottime_clock::now() + to_nanoseconds(queue.servers()->options().session_timeout);
    }

    const detail::job_terms terms;
    const std::string id;
    const detail::queue_lock queue;
    const std::string record_path;
    mutable std::atomic_flag foreign_told;  // the log has reported the foreign holder

private:
    result<job_report> start(const detail::stamped_node& node, const detail::stamped_data& found,
                             job_report&& report, guard& lock,
                             const std::function<void(job_run&)>& job,
                             const std::stop_token& stop) const;
    void finish(const detail::stamped_node& node, job_report& report, job_state how,
                const std::stop_token& stop) const;
};

result<job_report> job_gate::state::run(guard& lock, const std::function<void(job_run&)>& job,
                                        const query_options& limits) const {
    const detail::stamped_node node{*queue.servers(), record_path, lock};
    const auto found = node.read(limits);
    if (!found) return found.error();
    auto last = parsed(*found);
    if (!last) return last.error();
    const auto now = node.ask_time(limits);
    if (now.has_error()) return now.error();
    const auto decided = detail::decide_job(*last, *now, terms);
    job_report report;
    report.verdict = decided.verdict;
    report.record = std::move(*last);
    // to_nanoseconds() limits the wait to about 31 years, because a server's clock may show any time.
    report.retry_in = to_nanoseconds(std::chrono::milliseconds{decided.wait});
    if (decided.verdict != job_verdict::ran) return report;
    report.record = {job_state::running, report.record.number + 1, id, 0, 0, decided.missed};
    return start(node, *found, std::move(report), lock, job, limits.stop);
}

// Ignores the caller's deadline. If the deadline ended the write of the record, this participant would not know whether
// the record contains the start, and would not run the job. If the record then contains the start, no other participant
// runs the job for a whole period either.
result<job_report> job_gate::state::start(const detail::stamped_node& node,
                                          const detail::stamped_data& found, job_report&& report,
                                          guard& lock, const std::function<void(job_run&)>& job,
                                          const std::stop_token& stop) const {
    const query_options limits{phase_end(), stop};
    const auto before = boottime_clock::now();
    if (const auto written = node.write(found, detail::to_text(report.record), limits); !written)
        return written.error();
    // The record now contains the start of the job. If memory is exhausted from here on, the process ends, because an
    // exception would tell the caller that the job has not been started.
    const auto started =
        base::finish_or_end("the start of a job", [&] { return node.read(limits); });
    if (!started) {
        return base::finish_or_end("the start of a job", [&] {
            if (const auto held = lock.status(); !held) return error{held.error()};
            return error{
                errc::outcome_unknown,
                queue.path() +
                    ": the start of the job is recorded at the servers, but the job did not run: " +
                    started.error().message()};
        });
    }
    report.record.started = started->changed;
    job_run run{lock, report.record, before + std::chrono::milliseconds{terms.at_most_for}};
    const auto write_down = [&](job_state how) {
        base::finish_or_end("the end of a job", [&] { finish(node, report, how, stop); });
    };
    try {
        job(run);
    } catch (...) {
        write_down(job_state::failed);
        throw;
    }
    write_down(job_state::succeeded);
    return std::move(report);
}

// Writes the end of the job into the record. For a job that had to stop, waits at most k_grace for the servers.
void job_gate::state::finish(const detail::stamped_node& node, job_report& report, job_state how,
                             const std::stop_token& stop) const {
    const bool stopped = stop.stop_requested();
    const auto end = stopped ? std::min(boottime_clock::now() + k_grace, phase_end()) : phase_end();
    const query_options limits{end, stopped ? std::stop_token{} : stop};
    report.record.state = how;
    const auto running = node.read(limits);
    const auto written = running ? node.write(*running, detail::to_text(report.record), limits)
                                 : result<void>{running.error()};
    if (!written) {
        report.unrecorded = written.error();
    } else if (const auto ended = node.read(limits)) {
        report.record.ended = ended->changed;
    }
}

result<job_report> job_gate::state::running_elsewhere(const error& refusal,
                                                      const query_options& limits) const {
    const auto holder = queue.head(limits);
    if (!holder.has_error() && *holder && (*holder)->metadata.recipe != k_recipe)
        return foreign_holder(refusal, **holder);
    const auto found = detail::read_stamped(*queue.servers(), record_path, limits);
    if (!found) {
        const bool late = found.error() == errc::timeout || found.error() == errc::not_connected;
        return late && refusal == errc::timeout ? refusal : found.error();
    }
    const auto now = parsed(*found);
    if (!now) return now.error();
    return job_report{job_verdict::running, *now, pause_beside(*now), {}};
}

error job_gate::state::foreign_holder(const error& refusal, const contender& holder) const {
    const auto claims = core::text_of_claims(holder.metadata, false);
    const error told{refusal.code(), queue.path() +
                                         ": a lock that is no job_gate is held at this path" +
                                         (claims.empty() ? "" : ", by " + claims) +
                                         ": give the job a separate path "
                                         "(client_options::foreign_kinds)"};
    switch (queue.servers()->options().foreign_kinds) {
        case foreign_kind_policy::refuse: return {errc::bad_option, told.detail()};
        case foreign_kind_policy::warn:
            if (!foreign_told.test_and_set()) log::write(log_level::warning, "{}", told.detail());
            break;
        case foreign_kind_policy::ignore: break;
    }
    return told;
}

boottime_clock::duration job_gate::state::pause_beside(const job_record& now) const {
    const auto shown = queue.servers()->sessions().first()->info().servers_time;
    if (!shown || now.state == job_state::never_run) return k_least_pause;
    const auto clock = std::chrono::floor<std::chrono::milliseconds>(shown->time_since_epoch());
    const auto wait = now.started + std::max(terms.period, terms.at_least_for) - clock.count();
    return std::max<boottime_clock::duration>(to_nanoseconds(std::chrono::milliseconds{wait}),
                                              k_least_pause);
}

std::stop_token job_run::lost() const noexcept {
    return lock_.lost();
}

job_gate::job_gate(const client& servers, std::string_view path, job_rules rules, std::string id)
    : state_{new state{servers, path, rules, std::move(id)}} {}

job_gate::~job_gate() = default;

const std::string& job_gate::path() const noexcept {
    return state_->queue.path();
}

result<job_report> job_gate::run(const std::function<void(job_run&)>& job,
                                 acquire_options options) {
    if (!job) throw_error({errc::bad_option, "job_gate: the job is empty"});
    if (options.timeout.is_zero()) options.timeout = {};  // no time is left to wait for the lock
    const auto deadline = options.timeout.deadline();
    if (deadline) options.timeout = wait_limit::until(*deadline);
    const bool waits = deadline.has_value();
    const auto stop = options.stop;
    auto lock = state_->queue.acquire(std::move(options), core::claim{},
                                      waits ? core::attempt::wait : core::attempt::once, k_recipe);
    if (lock) return state_->run(*lock, job, {deadline.value_or(state_->phase_end()), stop});
    if (lock.error() != errc::busy && lock.error() != errc::timeout) return lock.error();
    if (!waits && lock.error() == errc::timeout) return lock.error();
    const auto end = waits ? boottime_clock::now() + k_grace : state_->phase_end();
    return state_->running_elsewhere(lock.error(), {end, stop});
}

result<job_record> job_gate::last(const query_options& options) const {
    const auto found = detail::read_stamped(*state_->queue.servers(), state_->record_path, options);
    if (!found) return found.error();
    return state_->parsed(*found);
}

}  // namespace turnstile
