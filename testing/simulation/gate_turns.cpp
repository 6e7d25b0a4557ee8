// SPDX-License-Identifier: Apache-2.0
#include "simulation/gate_turns.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::simulation {

void read_stamped(script& by, const std::string& path, stamped_handler then) {
    by.read(path, [then = std::move(then)](const auto& outcome) {
        if (const auto* why = std::get_if<error>(&outcome)) return then(*why);
        const auto& answer = std::get<core::reply>(outcome);
        if (answer.error == core::server_error::no_node) return then(detail::stamped_data{});
        then(detail::stamped_data{answer.data, answer.stat.version, answer.stat.mtime});
    });
}

void ask_time(script& by, std::uint64_t call, time_handler then) {
    by.commit(call, {core::check_op{"/"}},
              [&by, call, then = std::move(then)](const core::commit_outcome& outcome) {
                  if (const auto* why = std::get_if<error>(&outcome)) return then(*why);
                  read_stamped(by, by.znode(call), [then](const auto& own) {
                      if (!own) return then(own.error());
                      then(own->changed);
                  });
              });
}

void write_stamped(script& by, std::uint64_t call, const std::string& path,
                   const detail::stamped_data& as_read, const std::string& text,
                   written_handler then) {
    std::vector<core::write_part> parts;
    if (as_read.exists()) {
        parts.emplace_back(core::set_op{path, text, as_read.version});
    } else {
        parts.emplace_back(core::create_op{path, text});
    }
    by.commit(call, std::move(parts),
              [then = std::move(then)](const core::commit_outcome& outcome) {
                  if (const auto* why = std::get_if<error>(&outcome)) return then(*why);
                  then({});
              });
}

void job_turn::start(script& by, std::string path, const detail::job_terms& terms,
                     testing::simulated_job&& job) {
    const std::shared_ptr<job_turn> own{new job_turn{by, std::move(path), terms, std::move(job)}};
    own->lock();
}

job_turn::job_turn(script& by, std::string path, const detail::job_terms& terms,
                   testing::simulated_job&& job)
    : script_{by}, path_{std::move(path)}, job_{std::move(job)}, terms_{terms} {}

void job_turn::lock() {
    core::acquire request;
    request.settings.folder = path_;
    request.settings.mode = core::attempt::once;
    testing::simulated_call call;
    call.on_granted = [self = shared_from_this()](fencing_token) {
        self->read([self](const found& last) { self->learn_now(last); });
    };
    call.on_failed = [self = shared_from_this()](const error& why) {
        if (why == errc::busy) return self->report_running();
        self->finish(why);
    };
    call_ = script_.acquire(std::move(request), std::move(call));
}

void job_turn::learn_now(const found& last) {
    last_ = last;
    ask_time(script_, call_, [self = shared_from_this()](const auto& now) {
        if (now.has_error()) return self->finish(now.error());
        self->decide(*now);
    });
}

void job_turn::decide(std::int64_t now) {
    const auto parsed =
        last_.exists() ? detail::parse_job(last_.text, last_.changed) : std::optional{job_record{}};
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
    read([self = shared_from_this()](const found& started) {
        self->last_ = started;
        self->report_.record.started = started.changed;
        if (self->job_.job) self->job_.job(self->report_.record);
        self->script_.call_after(self->job_.takes, [self] { self->end(); });
    });
}

// Reports the job as succeeded even if the gate cannot write the job's end, because the job has run.
void job_turn::end() {
    report_.record.state = job_state::succeeded;
    report_.unrecorded = error{errc::outcome_unknown, "the end was not written down"};
    write([self = shared_from_this()] {
        self->report_.unrecorded.reset();
        self->read([self](const found& ended) {
            self->report_.record.ended = ended.changed;
            self->finish(self->report_);
        });
    });
}

void job_turn::report_running() {
    read([self = shared_from_this()](const found& last) {
        const auto parsed = detail::parse_job(last.text, last.changed);
        self->finish(job_report{job_verdict::running, parsed.value_or(job_record{}), {}, {}});
    });
}

void job_turn::finish(result<job_report> outcome) {
    script_.release(call_);
    if (!outcome && report_.record.state == job_state::succeeded) {
        if (report_.unrecorded) report_.unrecorded = outcome.error();
        outcome = report_;
    }
    if (job_.done) job_.done(outcome);
}

void job_turn::read(std::function<void(const found&)> then) {
    read_stamped(script_, path_ + "-record",
                 [self = shared_from_this(), then = std::move(then)](const auto& record) {
                     if (!record) return self->finish(record.error());
                     then(*record);
                 });
}

void job_turn::write(std::function<void()> then) {
    write_stamped(script_, call_, path_ + "-record", last_, detail::to_text(report_.record),
                  [self = shared_from_this(), then = std::move(then)](const auto& written) {
                      if (!written) return self->finish(written.error());
                      then();
                  });
}

void rate_turn::start(script& by, std::string path, detail::rate_record&& rule,
                      testing::simulated_entry&& entry) {
    const std::shared_ptr<rate_turn> own{
        new rate_turn{by, std::move(path), std::move(rule), std::move(entry)}};
    own->lock();
}

rate_turn::rate_turn(script& by, std::string path, detail::rate_record&& rule,
                     testing::simulated_entry&& entry)
    : script_{by}, path_{std::move(path)}, rule_{std::move(rule)}, entry_{std::move(entry)} {}

void rate_turn::lock() {
    core::acquire request;
    request.settings.folder = path_;
    testing::simulated_call call;
    call.on_granted = [self = shared_from_this()](fencing_token) { self->look(); };
    call.on_failed = [self = shared_from_this()](const error& why) { self->finish(why); };
    call.on_lost = [self = shared_from_this()](const error& why) { self->finish(why); };
    call_ = script_.acquire(std::move(request), std::move(call));
}

void rate_turn::look() {
    if (!script_.holds(call_)) return finish(error{errc::closed, path_ + ": its client is closed"});
    read_stamped(script_, path_ + "-record", [self = shared_from_this()](const auto& found) {
        if (!found) return self->finish(found.error());
        self->learn_now(*found);
    });
}

void rate_turn::learn_now(const detail::stamped_data& found) {
    ask_time(script_, call_, [self = shared_from_this(), found](const auto& now) {
        if (now.has_error()) return self->finish(now.error());
        self->decide(found, *now);
    });
}

void rate_turn::decide(const detail::stamped_data& found, std::int64_t now) {
    auto record = rule_;
    if (found.exists()) {
        auto kept = detail::record_of(rule_, found, path_);
        if (!kept) return finish(kept.error());
        record = std::move(*kept);
    }
    detail::forget_old(record, now);
    const auto wait = std::max<std::int64_t>(detail::wait_for_room(record, now), 0);
    if (wait == 0) {
        write_stamped(script_, call_, path_ + "-record", found, record.to_string(),
                      [self = shared_from_this()](const auto& outcome) { self->finish(outcome); });
    } else if (entry_.attempt == testing::simulated_attempt::once) {
        finish(detail::no_room(record, wait, path_));
    } else {
        script_.call_while_held(call_, std::chrono::milliseconds{wait},
                                [self = shared_from_this()] { self->look(); });
    }
}

void rate_turn::finish(const result<void>& outcome) {
    if (std::exchange(over_, true)) return;
    script_.release(call_);
    if (entry_.done) entry_.done(outcome);
}

}  // namespace turnstile::simulation
