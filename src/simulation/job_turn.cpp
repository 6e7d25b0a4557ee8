// SPDX-License-Identifier: Apache-2.0
#include "simulation/job_turn.hpp"

#include <chrono>

namespace turnstile::simulation {

namespace {

std::int64_t milliseconds(boottime_clock::duration span) {
    return std::chrono::ceil<std::chrono::milliseconds>(span).count();
}

}  // namespace

void job_turn::start(script& by, std::string path, testing::simulated_job&& job) {
    const std::shared_ptr<job_turn> own{new job_turn{by, std::move(path), std::move(job)}};
    own->lock();
}

job_turn::job_turn(script& by, std::string path, testing::simulated_job&& job)
    : script_{by},
      path_{std::move(path)},
      job_{std::move(job)},
      terms_{milliseconds(job_.rules.period), milliseconds(job_.rules.at_least_for),
             milliseconds(job_.rules.at_most_for)} {}

void job_turn::lock() {
    core::acquire request;
    request.settings.folder = path_;
    request.settings.mode = core::attempt::once;
    testing::simulated_call call;
    call.on_granted = [self = shared_from_this()](fencing_token) {
        self->read(self->path_ + "-record", [self](const found& last) { self->learn_now(last); });
    };
    call.on_failed = [self = shared_from_this()](const error& why) {
        if (why == errc::busy) return self->report_running();
        self->finish(why);
    };
    call_ = script_.acquire(std::move(request), std::move(call));
}

// A commit that changes nothing but the hold's own znode, whose stamp is the leader's time.
void job_turn::learn_now(const found& last) {
    last_ = last;
    script_.commit(call_, {core::check_op{"/"}}, [self = shared_from_this()](const auto& outcome) {
        if (const auto* why = std::get_if<error>(&outcome)) return self->finish(*why);
        self->read(self->script_.znode(self->call_),
                   [self](const found& own) { self->decide(own.changed); });
    });
}

void job_turn::decide(std::int64_t now) {
    const auto parsed = last_.version < 0 ? std::optional{job_record{}}
                                          : detail::parse_job(last_.text, last_.changed);
    if (!parsed) return finish(error{errc::protocol, path_ + "-record holds no record of a job"});
    const auto decided = detail::decide_job(*parsed, now, terms_);
    report_.verdict = decided.verdict;
    report_.record = *parsed;
    report_.retry_in = std::chrono::milliseconds{decided.wait};
    if (decided.verdict != job_verdict::ran) return finish(report_);
    report_.record = {job_state::running, parsed->number + 1, job_.id, 0, 0, decided.missed};
    write([self = shared_from_this()] { self->begin(); });
}

void job_turn::begin() {
    read(path_ + "-record", [self = shared_from_this()](const found& started) {
        self->last_ = started;
        self->report_.record.started = started.changed;
        if (self->job_.job) self->job_.job(self->report_.record);
        self->script_.call_after(self->job_.takes, [self] { self->end(); });
    });
}

// Whatever becomes of this, the job has run.
void job_turn::end() {
    report_.record.state = job_state::succeeded;
    report_.unrecorded = error{errc::outcome_unknown, "the end was not written down"};
    write([self = shared_from_this()] {
        self->read(self->path_ + "-record", [self](const found& ended) {
            self->report_.record.ended = ended.changed;
            self->report_.unrecorded.reset();
            self->finish(self->report_);
        });
    });
}

void job_turn::report_running() {
    read(path_ + "-record", [self = shared_from_this()](const found& last) {
        const auto parsed = detail::parse_job(last.text, last.changed);
        self->finish(job_report{job_verdict::running, parsed.value_or(job_record{}), {}, {}});
    });
}

void job_turn::finish(result<job_report> outcome) {
    script_.release(call_);
    if (!outcome && report_.record.state == job_state::succeeded) {
        report_.unrecorded = outcome.error();
        outcome = report_;
    }
    if (job_.done) job_.done(outcome);
}

void job_turn::read(const std::string& path, std::function<void(const found&)> then) {
    script_.read(path, [self = shared_from_this(), then = std::move(then)](const auto& outcome) {
        if (const auto* why = std::get_if<error>(&outcome)) return self->finish(*why);
        const auto& answer = std::get<core::reply>(outcome);
        if (answer.error == core::server_error::no_node) return then({});
        then({answer.data, answer.stat.version, answer.stat.mtime});
    });
}

void job_turn::write(std::function<void()> then) {
    const auto record = path_ + "-record";
    const auto text = detail::to_text(report_.record);
    std::vector<core::write_part> parts;
    if (last_.version < 0) {
        parts.emplace_back(core::create_op{record, text});
    } else {
        parts.emplace_back(core::set_op{record, text, last_.version});
    }
    const auto on_outcome = [self = shared_from_this(),
                             then = std::move(then)](const core::commit_outcome& outcome) {
        if (const auto* why = std::get_if<error>(&outcome)) return self->finish(*why);
        then();
    };
    script_.commit(call_, std::move(parts), on_outcome);
}

}  // namespace turnstile::simulation
