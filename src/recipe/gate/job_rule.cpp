// SPDX-License-Identifier: Apache-2.0
#include "recipe/gate/job_rule.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/span_check.hpp"
#include "recipe/node/text_fields.hpp"

namespace turnstile::detail {

namespace {

constexpr std::array<std::pair<job_state, std::string_view>, 3> k_states{
    {{job_state::running, "running"}, {job_state::succeeded, "ok"}, {job_state::failed, "failed"}}};

}  // namespace

std::string to_text(const job_record& record) {
    text_fields fields;
    for (const auto& [state, name] : k_states)
        if (state == record.state) fields.add("state", name);
    fields.add("run", record.number);
    fields.add("by", record.by);
    fields.add("missed", record.missed);
    if (record.state != job_state::running) fields.add("started", record.started);
    return fields.text();
}

std::optional<job_record> parse_job(std::string_view text, std::int64_t written) {
    const auto fields = text_fields::parse(text);
    const auto name = fields.find("state");
    const auto run = fields.number("run");
    const auto missed = fields.number("missed");
    if (!name || !run || *run < 1 || !missed || *missed < 0) return std::nullopt;
    job_record record;
    for (const auto& [state, known] : k_states)
        if (known == *name) record.state = state;
    if (record.state == job_state::never_run) return std::nullopt;
    record.number = static_cast<std::uint64_t>(*run);
    record.missed = static_cast<std::uint64_t>(*missed);
    record.by = fields.find("by").value_or(std::string_view{});
    record.started = written;
    if (record.state == job_state::running) return record;
    const auto started = fields.stamp("started");
    if (!started) return std::nullopt;
    record.started = *started;
    record.ended = written;
    return record;
}

result<job_terms> terms_of(const job_rules& rules) {
    const auto period = base::checked_milliseconds("job_gate: period", rules.period);
    if (period.has_error()) return period.error();
    const auto at_least = base::checked_milliseconds("job_gate: at_least_for", rules.at_least_for);
    if (at_least.has_error()) return at_least.error();
    const auto at_most = base::checked_milliseconds("job_gate: at_most_for", rules.at_most_for);
    if (at_most.has_error()) return at_most.error();
    const job_terms terms{*period, *at_least, *at_most};
    if (terms.period == 0 && terms.at_least_for == 0 && terms.at_most_for == 0) {
        return error{errc::bad_option,
                     "job_gate: period, at_least_for and at_most_for are all zero, so nothing "
                     "would keep the job from running again at once"};
    }
    return terms;
}

// If the clock of the servers' new leader shows a time before the last start, callers wait longer, but the job never
// starts twice.
job_decision decide_job(const job_record& last, std::int64_t now, const job_terms& terms) {
    if (last.state == job_state::never_run) return {};
    // place: job_is_due
    const auto due = last.started + std::max(terms.period, terms.at_least_for);
    const auto over = last.started + terms.at_most_for;
    const bool open = last.state == job_state::running;
    // place: run_is_open
    if (open && now < over) return {job_verdict::running, std::max(due, over) - now, 0};
    if (now < due) return {job_verdict::not_due, due - now, 0};
    const auto periods = terms.period > 0 ? (now - last.started) / terms.period : 1;
    return {job_verdict::ran, 0,
            static_cast<std::uint64_t>(std::max<std::int64_t>(periods, 1) - 1)};
}

}  // namespace turnstile::detail
