// SPDX-License-Identifier: Apache-2.0
#include "recipe/gate/rate_rule.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "base/span_check.hpp"
#include "recipe/node/text_fields.hpp"

namespace turnstile::detail {

namespace {

constexpr std::size_t k_most_quoted = 80;  // bytes of other clients' data

}  // namespace

std::string rate_record::to_string() const {
    text_fields fields;
    fields.add("entries", entries);
    fields.add("period", period);
    std::string at;
    for (const auto stamp : stamps) {
        if (!at.empty()) at += ',';
        at += std::to_string(stamp);
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
    rate_record record{static_cast<std::size_t>(*entries), *period, {}};
    for (auto rest = *at; !rest.empty();) {
        std::int64_t stamp = 0;
        const auto end = std::min(rest.find(','), rest.size());
        const auto [last, failure] = std::from_chars(rest.data(), rest.data() + end, stamp);
        if (failure != std::errc{} || last != rest.data() + end || !is_stamp(stamp))
            return std::nullopt;
        record.stamps.push_back(stamp);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    record.stamps.push_back(written);  // place: newest_entry_counts
    return record;
}

result<rate_record> empty_record(const rate_rule& rule) {
    const auto period = base::checked_milliseconds("rate_gate: period", rule.period);
    if (!period) return period.error();
    if (rule.entries < 1 || rule.entries > rate_gate::k_most_entries) {
        return error{errc::bad_option, fmt::format("rate_gate: {} entries: must be from 1 to {}",
                                                   rule.entries, rate_gate::k_most_entries)};
    }
    if (*period < 1) {
        return error{errc::bad_option,
                     fmt::format("rate_gate: a period of {} ms: must be positive", *period)};
    }
    return rate_record{rule.entries, *period, {}};
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
                     fmt::format("{}: {} entries in {} ms here, {} in {} ms in the record", path,
                                 rule.entries, rule.period, record->entries, record->period)};
    }
    return std::move(*record);
}

error no_room(const rate_record& record, std::int64_t wait, const std::string& path) {
    return {errc::busy, fmt::format("{}: {} entries within {} ms, room for one more in {} ms", path,
                                    record.stamps.size(), record.period, wait)};
}

void forget_old(rate_record& record, std::int64_t now) {
    // place: entry_is_old
    std::erase_if(record.stamps, [&](std::int64_t stamp) { return stamp + record.period <= now; });
}

// A leader whose clock stands behind the last entries' leader's makes it wait longer.
std::int64_t wait_for_room(const rate_record& record, std::int64_t now) {
    if (record.stamps.size() < record.entries) return 0;
    auto sorted = record.stamps;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() - record.entries] + record.period - now;
}

}  // namespace turnstile::detail
