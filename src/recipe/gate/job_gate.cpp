// SPDX-License-Identifier: Apache-2.0
#include "turnstile/job_gate.hpp"

#include <utility>

#include "recipe/election/candidacy.hpp"
#include "recipe/gate/job_rule.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/node/stamped_node.hpp"

namespace turnstile {

class job_gate::state {
public:
    state(const client& servers, std::string_view path, const job_rules& rules, std::string name)
        : terms{detail::terms_of(rules).value()},
          id{detail::checked_id(name)},
          queue{servers, path, core::contender_family::lock},
          record_path{queue.path() + "-record"} {}

    [[nodiscard]] result<job_record> parsed(const detail::stamped_data& found) const {
        if (!found.exists()) return job_record{};
        auto record = detail::parse_job(found.text, found.changed);
        if (!record)
            return error{errc::protocol, record_path + " holds no record of a job: " + found.text};
        return std::move(*record);
    }

    // Under the lock: starts it if it is due.
    result<job_report> run(guard& lock, const std::function<void(job_run&)>& job,
                           const query_options& limits) const;

    const detail::job_terms terms;
    const std::string id;
    const detail::queue_lock queue;
    const std::string record_path;

private:
    result<job_report> start(const detail::stamped_node& node, const detail::stamped_data& found,
                             job_report&& report, guard& lock,
                             const std::function<void(job_run&)>& job,
                             const query_options& limits) const;
    void finish(const detail::stamped_node& node, job_report& report, job_state how) const;
};

result<job_report> job_gate::state::run(guard& lock, const std::function<void(job_run&)>& job,
                                        const query_options& limits) const {
    const detail::stamped_node node{*queue.servers(), record_path, lock};
    const auto found = node.read(limits);
    if (!found) return found.error();
    auto last = parsed(*found);
    if (!last) return last.error();
    const auto now = node.ask_time(limits);
    if (!now) return now.error();
    const auto decided = detail::decide_job(*last, *now, terms);
    job_report report;
    report.verdict = decided.verdict;
    report.record = std::move(*last);
    // By the stamps of servers whose clocks may show any time.
    report.retry_in = to_nanoseconds(std::chrono::milliseconds{decided.wait});
    if (decided.verdict != job_verdict::ran) return report;
    report.record = {job_state::running, report.record.number + 1, id, 0, 0, decided.missed};
    return start(node, *found, std::move(report), lock, job, limits);
}

result<job_report> job_gate::state::start(const detail::stamped_node& node,
                                          const detail::stamped_data& found, job_report&& report,
                                          guard& lock, const std::function<void(job_run&)>& job,
                                          const query_options& limits) const {
    const auto before = boottime_clock::now();
    if (const auto written = node.write(found, detail::to_text(report.record), limits); !written)
        return written.error();
    const auto started = node.read(limits);
    if (!started) return started.error();
    report.record.started = started->changed;
    job_run run{lock, report.record, before + std::chrono::milliseconds{terms.at_most_for}};
    try {
        job(run);
    } catch (...) {
        finish(node, report, job_state::failed);
        throw;
    }
    finish(node, report, job_state::succeeded);
    return std::move(report);
}

void job_gate::state::finish(const detail::stamped_node& node, job_report& report,
                             job_state how) const {
    report.record.state = how;
    const auto text = detail::to_text(report.record);
    const auto running = node.read({});
    auto written = running ? node.write(*running, text, {}) : result<void>{running.error()};
    const auto ended = written ? node.read({}) : result<detail::stamped_data>{written.error()};
    if (ended) {
        report.record.ended = ended->changed;
    } else {
        report.unrecorded = ended.error();
    }
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
    const auto deadline = options.timeout.deadline();
    if (deadline) options.timeout = *deadline;
    const bool waits = deadline.has_value();
    const query_options limits{{}, options.stop};
    auto lock = state_->queue.acquire(std::move(options), core::claim{},
                                      waits ? core::attempt::wait : core::attempt::once);
    if (lock) return state_->run(*lock, job, limits);
    if (lock.error() != errc::busy && lock.error() != errc::timeout) return lock.error();
    if (!waits && lock.error() == errc::timeout) return lock.error();
    const auto now = last(limits);
    if (!now) return now.error();
    return job_report{job_verdict::running, *now, {}, {}};
}

result<job_record> job_gate::last(const query_options& options) const {
    const auto found = detail::read_stamped(*state_->queue.servers(), state_->record_path, options);
    if (!found) return found.error();
    return state_->parsed(*found);
}

}  // namespace turnstile
