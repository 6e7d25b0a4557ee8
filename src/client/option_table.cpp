// SPDX-License-Identifier: Apache-2.0
#include "client/option_table.hpp"

#include <fmt/core.h>

#include "base/duration_text.hpp"

namespace turnstile::detail {

acquire_options options_of_part(const acquire_options& whole, composite kind) {
    acquire_options part;
    for_each_option([&](const auto& row) {
        if (row.in(kind).treatment == derivation::kind::passed) part.*row.field = whole.*row.field;
    });
    return part;
}

// Every option that a row of the table marks as `refused` is a duration. So this function examines only the durations.
result<void> check_refused(const acquire_options& options, composite kind, std::string_view name) {
    result<void> outcome;
    for_each_option([&](const auto& row) {
        using value = typename std::remove_cvref_t<decltype(row)>::value_type;
        const auto& rule = row.in(kind);
        if (rule.treatment != derivation::kind::refused || !outcome) return;
        if constexpr (std::same_as<value, boottime_clock::duration>) {
            const auto span = options.*row.field;
            if (span == span.zero()) return;
            outcome = error{errc::bad_option, fmt::format("{}: {} {}: {}", name, row.name,
                                                          base::duration_text(span), rule.reason)};
        }
    });
    return outcome;
}

namespace {

template <class T>
bool is_given(const T& value) {
    if constexpr (k_is_user_code<T>) {
        return static_cast<bool>(value);
    } else if constexpr (std::same_as<T, std::stop_token>) {
        return value.stop_possible();
    } else {
        return value != T{};
    }
}

// Returns the options if the user has set a function, or another option for which `counts` returns true. Otherwise
// returns an empty value.
template <class F>
base::cold<acquire_options> kept_if_given(acquire_options&& options, F&& counts) {
    base::cold<acquire_options> kept;
    bool needed = false;
    for_each_option([&](const auto& row) {
        using value = typename std::remove_cvref_t<decltype(row)>::value_type;
        if constexpr (!std::same_as<value, wait_limit>)  // the request has its deadline
            if (k_is_user_code<value> || counts(row)) needed |= is_given(options.*row.field);
    });
    if (needed) kept.change() = std::move(options);
    return kept;
}

}  // namespace

base::cold<acquire_options> with_user_code(acquire_options&& options) {
    return kept_if_given(std::move(options), [](const auto& /*row*/) { return false; });
}

base::cold<acquire_options> needed_later(acquire_options&& options, composite kind) {
    return kept_if_given(std::move(options), [kind](const auto& row) {
        return row.in(kind).treatment == derivation::kind::passed;
    });
}

}  // namespace turnstile::detail
