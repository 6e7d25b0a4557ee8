// SPDX-License-Identifier: Apache-2.0
#include "recipe/gate/gate_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "base/duration_text.hpp"
#include "base/span_check.hpp"
#include "recipe/node/node_data.hpp"

namespace turnstile::detail {

namespace {

constexpr std::array<std::pair<job_state, std::string_view>, 3> k_states{
    {{job_state::running, "running"}, {job_state::succeeded, "ok"}, {job_state::failed, "failed"}}};

std::string text_of(std::int64_t milliseconds) {
    return base::duration_text(std::chrono::milliseconds{milliseconds});
}

constexpr std::size_t k_most_quoted = 80;  // limit for a quotation of another client's text

// Parses the whole text as a number; nothing for any other text.
template <class N>
std::optional<N> number(std::string_view text) {
    N value = 0;
    const auto [last, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || last != text.data() + text.size()) return std::nullopt;
    return value;
}

// Parses the text of a group: the time stamp of its latest entry, such as "1763724876000". If the group has several
// entries, their number follows: "1763724876000*17".
std::optional<rate_group> parse_group(std::string_view text) {
    // Uses std::find, because GCC 12 at -O3 warns that the view's find() reads beyond the end.
    const auto times =
        static_cast<std::size_t>(std::find(text.begin(), text.end(), '*') - text.begin());
    const auto latest = number<std::int64_t>(text.substr(0, times));
    if (!latest || !is_stamp(*latest)) return std::nullopt;
    if (times == text.size()) return rate_group{*latest};
    const auto entries = number<std::size_t>(text.substr(times + 1));
    if (!entries || *entries < 1 || *entries > rate_gate::k_most_entries) return std::nullopt;
    return rate_group{*latest, *entries};
}

std::int64_t slot_of(const rate_record& record, std::int64_t stamp) {
    return stamp / (record.period / rate_record::k_slots + 1);
}

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

void rate_record::add(const rate_group& more) {
    auto place = std::upper_bound(
        groups.begin(), groups.end(), more,
        [](const auto& left, const auto& right) { return left.latest < right.latest; });
    place = groups.insert(place, more);
    const auto joins = [this](const auto& left, const auto& right) {
        return entries > k_most_groups &&
               slot_of(*this, left.latest) == slot_of(*this, right.latest);
    };
    if (place != groups.begin() && joins(*std::prev(place), *place)) {
        place->entries += std::prev(place)->entries;
        place = groups.erase(std::prev(place));
    }
    if (std::next(place) != groups.end() && joins(*place, *std::next(place))) {
        std::next(place)->entries += place->entries;
        groups.erase(place);
    }
    // Merges the oldest groups. There are too many groups if the clock of the servers' leader was set back: then stamps
    // from before and after the change exist.
    while (groups.size() > k_most_groups) {
        groups[1].entries += groups[0].entries;
        groups.erase(groups.begin());
    }
}

std::size_t rate_record::entered() const {
    std::size_t all = 0;
    for (const auto& group : groups) all += group.entries;
    return all;
}

std::string rate_record::to_string() const {
    text_fields fields;
    fields.add("entries", entries);
    fields.add("period", period);
    std::string at;
    for (const auto& group : groups) {
        if (!at.empty()) at += ',';
        at += std::to_string(group.latest);
        if (group.entries != 1) at += '*' + std::to_string(group.entries);
    }
    fields.add("at", at);
    return fields.text();
}

std::optional<rate_record> rate_record::parse(std::string_view text, std::int64_t written) {
    const auto fields = text_fields::parse(text);
    const auto entries = fields.number("entries");
    const auto period = fields.number("period");
    const auto at = fields.find("at");
    if (!entries || *entries < 1 || !period || *period < 1 || !at) return std::nullopt;
    rate_record record{static_cast<std::size_t>(*entries), *period};
    for (auto rest = *at; !rest.empty();) {
        const auto end = std::min(rest.find(','), rest.size());
        const auto group = parse_group(rest.substr(0, end));
        if (!group) return std::nullopt;
        record.add(*group);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    record.add({written});  // place: newest_entry_counts
    return record;
}

result<rate_record> empty_record(const rate_rule& rule) {
    const auto period = base::checked_milliseconds("rate_gate: period", rule.period);
    if (period.has_error()) return period.error();
    if (rule.entries < 1 || rule.entries > rate_gate::k_most_entries) {
        return error{errc::bad_option, fmt::format("rate_gate: {} entries: must be from 1 to {}",
                                                   rule.entries, rate_gate::k_most_entries)};
    }
    if (*period < 1) {
        return error{errc::bad_option, fmt::format("rate_gate: a period of {}: must be positive",
                                                   base::duration_text(rule.period))};
    }
    return rate_record{rule.entries, *period};
}

result<rate_record> record_of(const rate_record& rule, const stamped_data& found,
                              const std::string& path) {
    auto record = rate_record::parse(found.text, found.changed);
    if (!record) {
        return error{errc::protocol, path + "-record holds no record of a rate gate: " +
                                         found.text.substr(0, k_most_quoted)};
    }
    if (record->entries != rule.entries || record->period != rule.period) {
        return error{errc::bad_option,
                     fmt::format("{}: this rate_gate allows {} entries in {}, and the record at "
                                 "the servers allows {} in {}; give all programs the same rate",
                                 path, rule.entries, text_of(rule.period), record->entries,
                                 text_of(record->period))};
    }
    return std::move(*record);
}

error no_room(const rate_record& record, std::int64_t wait, const std::string& path) {
    const auto entered = record.entered();
    return {errc::busy,
            fmt::format("{}: the gate is full: {} in the last {}; the next entry is "
                        "possible in {}",
                        path, entered == 1 ? "1 entry" : fmt::format("{} entries", entered),
                        text_of(record.period), text_of(wait))};
}

void forget_old(rate_record& record, std::int64_t now) {
    // place: entry_is_old
    std::erase_if(record.groups, [&](auto group) { return group.latest + record.period <= now; });
}

// If the clock of the servers' leader is behind the stamps of the latest entries, the wait becomes longer.
std::int64_t wait_for_room(const rate_record& record, std::int64_t now) {
    auto all = record.entered();
    for (const auto& group : record.groups) {
        if (all < record.entries) return 0;
        all -= group.entries;
        if (all < record.entries) return group.latest + record.period - now;
    }
    return 0;
}

}  // namespace turnstile::detail
