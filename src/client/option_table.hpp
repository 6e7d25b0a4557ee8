// SPDX-License-Identifier: Apache-2.0
// option_table: all options of a call, and what a composite does with each option.
//
// A composite consists of several holds (multi_lock, quorum_lock), or shares one hold among the threads of a process
// (shared_contender). Each of these holds is a part. The table has a value for each pair of option and composite:
//
// | value   | meaning                                                                                     |
// |---------|---------------------------------------------------------------------------------------------|
// | passed  | each part gets the value of the call                                                        |
// | refused | the call fails with bad_option                                                              |
// | own     | the composite handles the option; the value of the call does not reach the parts            |
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/cold.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

enum class composite { multi, quorum, shared };

struct derivation {
    enum class kind { passed, refused, own } treatment = kind::own;
    std::string_view reason{};  // why a composite refuses the option
};
inline constexpr derivation k_passed{derivation::kind::passed};
inline constexpr derivation k_own{derivation::kind::own};
constexpr derivation refused(std::string_view reason) {
    return {derivation::kind::refused, reason};
}

template <class T>
struct option_row {
    using value_type = T;
    std::string_view name;
    T acquire_options::*field;
    derivation multi;
    derivation quorum;
    derivation shared;

    [[nodiscard]] constexpr const derivation& in(composite kind) const {
        if (kind == composite::multi) return multi;
        return kind == composite::quorum ? quorum : shared;
    }
};

template <class T>
option_row(std::string_view, T acquire_options::*, derivation, derivation, derivation)
    -> option_row<T>;

// clang-format off
inline constexpr std::tuple k_option_table{
    // The columns: the option's name, the option's member, and the treatment by a multi_lock, a quorum_lock and a
    // shared_contender.
    option_row{"timeout", &acquire_options::timeout, k_own, k_own, k_own},
    option_row{"stop", &acquire_options::stop, k_own, k_own, k_own},
    option_row{"on_entered", &acquire_options::on_entered, k_passed, k_own, k_own},
    option_row{"on_queued", &acquire_options::on_queued, k_passed, k_own, k_own},
    option_row{"on_granted_at", &acquire_options::on_granted_at, k_own, k_own, k_own},
    option_row{"on_lost", &acquire_options::on_lost, k_own, k_own, k_own},
    option_row{"on_at_risk", &acquire_options::on_at_risk, k_own, k_own, k_own},
    option_row{"warn_before", &acquire_options::warn_before, k_passed, k_passed, k_own},
    option_row{"max_hold", &acquire_options::max_hold, k_own,
        refused("a quorum_lock has no such option, because it acquires a part again when that part's hold has ended"),
        k_own},
    option_row{"on_expiring", &acquire_options::on_expiring, k_own, k_own, k_own},
    option_row{"on_asked_to_release", &acquire_options::on_asked_to_release, k_own, k_own, k_own},
    option_row{"label", &acquire_options::label, k_passed, k_passed, k_passed},
    option_row{"owner", &acquire_options::owner, k_passed, k_passed, k_own},
};
// clang-format on

template <class F>
constexpr void for_each_option(F&& visit) {
    std::apply([&visit](const auto&... rows) { (visit(rows), ...); }, k_option_table);
}

// Does not compile if acquire_options has a new option. Then the table above needs a row for the new option, too.
constexpr void every_option_has_a_row(const acquire_options& options) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = options;
    static_assert(std::tuple_size_v<std::remove_const_t<decltype(k_option_table)>> == 13);
}

template <class T>
inline constexpr bool k_is_user_code = false;
template <class... Arguments>
inline constexpr bool k_is_user_code<callback<void(Arguments...)>> = true;

[[nodiscard]] acquire_options options_of_part(const acquire_options& whole, composite kind);
// Returns the options if the composite needs one of them later: a function of the user, or an option that it passes to
// its parts. Otherwise returns an empty value.
[[nodiscard]] base::cold<acquire_options> needed_later(acquire_options&& options, composite kind);
// Returns bad_option if the composite refuses an option that is set. The error contains `name`, the option, its value
// and the reason.
[[nodiscard]] result<void> check_refused(const acquire_options& options, composite kind,
                                         std::string_view name);
// Returns the options if they contain functions of the user; otherwise an empty value.
[[nodiscard]] base::cold<acquire_options> with_user_code(acquire_options&& options);

}  // namespace turnstile::detail
