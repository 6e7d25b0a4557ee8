// SPDX-License-Identifier: Apache-2.0
// Sets each option to the limits of its type, alone and with random other options. The library must either refuse the
// option and name it, or compute valid settings of the core. The test computes in long double, which does not overflow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/back_off.hpp"
#include "base/duration_text.hpp"
#include "base/random.hpp"
#include "client/settings.hpp"
#include "core/lease/lease.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::uint64_t k_seed = 15;
constexpr int k_draws = 20'000;
constexpr std::chrono::years k_longest{10};

template <class N>
constexpr N k_most = std::numeric_limits<N>::max();
template <class N>
constexpr N k_least = std::numeric_limits<N>::lowest();

// Values for options that are durations, as counts of milliseconds: limits of integer types, limits of options, and
// counts near k_fits. k_fits is the largest count of milliseconds that fits in std::int64_t as nanoseconds.
constexpr std::int64_t k_fits = k_most<std::int64_t> / 1'000'000;
constexpr std::array<std::int64_t, 27> k_counts{k_least<std::int64_t>,
                                                k_least<std::int64_t> + 1,
                                                -k_fits - 1,
                                                -k_fits,
                                                -1'000'000,
                                                -1,
                                                0,
                                                1,
                                                2,
                                                5,
                                                999,
                                                1'000,
                                                5'000,
                                                30'000,
                                                86'400'000,
                                                86'400'001,
                                                k_most<std::int32_t> - 1,
                                                k_most<std::int32_t>,
                                                std::int64_t{k_most<std::int32_t>} + 1,
                                                k_most<std::uint32_t>,
                                                315'569'520'000,
                                                315'569'520'001,
                                                k_fits,
                                                k_fits + 1,
                                                k_most<std::int64_t> / 2,
                                                k_most<std::int64_t> - 1,
                                                k_most<std::int64_t>};
constexpr std::array<int, 10> k_ints{k_least<int>,    -1,         0, 1, 5, 145, 146, 1'000'000,
                                     k_most<int> - 1, k_most<int>};
constexpr std::array<unsigned, 8> k_unsigneds{
    0, 1, 2, 64, 1024, 1025, k_most<unsigned> - 1, k_most<unsigned>};
constexpr std::array<double, 14> k_doubles{std::numeric_limits<double>::quiet_NaN(),
                                           -std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity(),
                                           k_least<double>,
                                           -0.001,
                                           -0.0,
                                           0.0,
                                           std::numeric_limits<double>::denorm_min(),
                                           0.001,
                                           0.49999999999999994,
                                           0.5,
                                           1.0,
                                           k_most<double>};

// An option with its possible values, and the text by which a message shows the value.
struct option {
    std::string_view name;
    std::size_t values;
    std::function<std::string(client_options&, std::size_t which)> set;
};

template <class Values, class F>
option one_of(std::string_view name, const Values& values, F member) {
    return {name, values.size(), [&values, member](client_options& o, std::size_t which) {
                auto& at = member(o);
                using type = std::remove_cvref_t<decltype(at)>;
                at = type{values[which]};
                if constexpr (std::same_as<type, milliseconds>)
                    return base::duration_text(at);
                else
                    return fmt::format("{}", values[which]);
            }};
}

const std::vector<option> k_options{
    one_of(
        "session_timeout", k_counts, [](auto& o) -> auto& { return o.session_timeout; }),
    one_of(
        "lease.tick", k_counts, [](auto& o) -> auto& { return o.lease.tick; }),
    one_of(
        "lease.sync_limit", k_ints, [](auto& o) -> auto& { return o.lease.sync_limit; }),
    one_of(
        "lease.assumed_stall", k_counts, [](auto& o) -> auto& { return o.lease.assumed_stall; }),
    one_of(
        "lease.clock_drift", k_doubles, [](auto& o) -> auto& { return o.lease.clock_drift; }),
    one_of(
        "lease.confirm_every", k_counts, [](auto& o) -> auto& { return o.lease.confirm_every; }),
    one_of(
        "retry_first", k_counts, [](auto& o) -> auto& { return o.retry_first; }),
    one_of(
        "retry_longest", k_counts, [](auto& o) -> auto& { return o.retry_longest; }),
    one_of(
        "connection_timeout", k_counts, [](auto& o) -> auto& { return o.connection_timeout; }),
    one_of(
        "sessions", k_unsigneds, [](auto& o) -> auto& { return o.sessions; }),
    one_of(
        "max_sessions", k_unsigneds, [](auto& o) -> auto& { return o.max_sessions; }),
    one_of(
        "close_timeout", k_counts, [](auto& o) -> auto& { return o.close_timeout; }),
};

long double count(nanoseconds value) {
    return static_cast<long double>(value.count());
}
long double count(milliseconds value) {
    return static_cast<long double>(value.count()) * 1e6L;
}

// ---- values that follow from valid options --------------------------------------------------------

void expect_bound(const client_options& o) {
    const auto& lease = o.lease;
    const auto rule = lease_rule(lease);
    const auto tick = lease.tick > 0ms
                          ? lease.tick
                          : std::chrono::duration_cast<milliseconds>(core::k_sample_tick);
    const int limit = lease.sync_limit > 0 ? lease.sync_limit : core::k_sample_sync_limit;
    const auto proven = (static_cast<long double>(limit) + 1) * count(tick);
    const bool assumed = lease.assumed_stall > 0ms;
    const auto assumption = count(lease.assumed_stall) + count(tick) / 2;
    EXPECT_EQ(rule.relay_bound_assumed, assumed);
    EXPECT_EQ(count(rule.relay_bound), assumed ? assumption : proven);
    EXPECT_GT(rule.relay_bound, 0ns);
    EXPECT_GE(rule.clock_drift, 0);
}

void expect_lease(const client_options& o) {
    const auto rule = lease_rule(o.lease);
    const auto timeout = session_settings(o).timeout;
    const core::time_point start{k_longest};  // the longest possible time since the machine's start
    core::lease subject{rule};
    subject.opening(start);
    subject.attached(1, timeout, start);
    EXPECT_GT(subject.certain_for(), 0ns);
    EXPECT_LE(subject.certain_for(), timeout);
    EXPECT_LT(subject.most_left(), subject.certain_for());
    EXPECT_GE(subject.lengthened(rule.relay_bound), rule.relay_bound);
    EXPECT_EQ(subject.valid_until(), start + subject.certain_for());
    EXPECT_GE(subject.hopeless_from(), subject.valid_until());
    // A follower's answer extends the lease only when a later write is answered. The client must send that write after
    // the relay bound (the longest time until the leader learns of the follower's answer) has passed.
    subject.answered(1, start + 1ns, start + 2ns, true);
    EXPECT_EQ(subject.valid_until(), start + subject.certain_for());
    const auto useful = subject.next_useful_write();
    ASSERT_TRUE(useful);
    EXPECT_EQ(*useful, start + 2ns + subject.lengthened(rule.relay_bound));
    if (*useful >= subject.valid_until()) return;  // the lease ends before the write counts
    subject.answered(1, *useful, *useful, true);
    EXPECT_EQ(subject.valid_until(), start + 1ns + subject.certain_for());
}

void expect_pauses(const core::session_core_settings& core_settings) {
    base::back_off pauses{core_settings.retry_first, core_settings.retry_longest};
    auto chance = core_settings.chance;
    for (int i = 0; i != 60; ++i) {
        const auto pause = pauses.draw(chance);
        EXPECT_GE(pause, core_settings.retry_first / 2);
        EXPECT_LE(pause, core_settings.retry_longest);
    }
}

void expect_kept(const client_options& o) {
    const auto session = session_settings(o);
    const auto core = core_settings(o, 0, "servers");
    EXPECT_EQ(count(session.timeout), count(o.session_timeout));
    EXPECT_GT(session.timeout, 0ns);
    EXPECT_EQ(count(core.retry_first), count(o.retry_first));
    EXPECT_EQ(count(core.retry_longest), count(o.retry_longest));
    EXPECT_GE(core.confirm_every, 0ns);
    EXPECT_LT(core.confirm_every, session.timeout);
    EXPECT_GE(to_nanoseconds(o.close_timeout), 0ns);
    expect_bound(o);
    expect_lease(o);
    expect_pauses(core);
}

// ---- client_options -------------------------------------------------------------------------------

TEST(option_limits, each_option_alone_is_refused_by_name_and_value_or_right) {
    for (const auto& option : k_options) {
        std::size_t refused = 0;
        for (std::size_t which = 0; which != option.values; ++which) {
            client_options options;
            const auto value = option.set(options, which);
            SCOPED_TRACE(fmt::format("{} = {}", option.name, value));
            const auto checked = check(options);
            if (checked) {
                expect_kept(options);
                continue;
            }
            ++refused;
            EXPECT_EQ(checked.error(), errc::bad_option);
            EXPECT_THAT(checked.error().message(), ::testing::HasSubstr(std::string{option.name}));
            EXPECT_THAT(checked.error().message(), ::testing::HasSubstr(value));
        }
        EXPECT_GT(refused, 0U) << option.name;
        EXPECT_LT(refused, option.values) << option.name;
    }
}

TEST(option_limits, options_together_are_refused_by_name_or_right) {
    base::random source{k_seed};
    int good = 0;
    for (int draw = 0; draw != k_draws && !::testing::Test::HasFailure(); ++draw) {
        client_options options;
        std::string drawn;
        for (const auto& option : k_options) {
            if (source() % 4 != 0) continue;
            const auto value = option.set(options, source() % option.values);
            drawn += fmt::format("{} = {}; ", option.name, value);
        }
        SCOPED_TRACE(fmt::format("seed {}, draw {}: {}", k_seed, draw, drawn));
        const auto checked = check(options);
        if (checked) {
            ++good;
            expect_kept(options);
            continue;
        }
        EXPECT_EQ(checked.error(), errc::bad_option);
        const auto text = checked.error().message();
        const auto names = [&text](const option& option) {
            return text.find(option.name) != std::string::npos;
        };
        EXPECT_TRUE(std::any_of(k_options.begin(), k_options.end(), names)) << text;
    }
    EXPECT_GT(good, k_draws / 100);
    EXPECT_LT(good, k_draws);
}

// Draws random numbers of milliseconds. Small numbers are as frequent as large numbers.
TEST(option_limits, a_relay_bound_is_never_shorter_than_its_parts_say) {
    base::random source{k_seed};
    const auto any = [&source] { return static_cast<std::int64_t>(source() >> (source() % 64)); };
    int good = 0;
    for (int draw = 0; draw != k_draws && !::testing::Test::HasFailure(); ++draw) {
        client_options options;
        options.lease.tick = milliseconds{any()};
        options.lease.sync_limit = static_cast<int>(any());
        options.lease.assumed_stall = source() % 2 == 0 ? 0ms : milliseconds{any()};
        SCOPED_TRACE(fmt::format("seed {}, draw {}: tick {} ms, sync_limit {}, stall {} ms", k_seed,
                                 draw, options.lease.tick.count(), options.lease.sync_limit,
                                 options.lease.assumed_stall.count()));
        if (!check(options)) continue;
        ++good;
        expect_bound(options);
        expect_lease(options);
    }
    EXPECT_GT(good, k_draws / 100);
}

// ---- options of each call and lock ----------------------------------------------------------------

TEST(option_limits, spans_of_a_call_are_refused_by_name_or_within_ten_years) {
    const auto judge = [](std::string_view name, const result<void>& checked, nanoseconds span) {
        SCOPED_TRACE(fmt::format("{} = {} ns", name, span.count()));
        EXPECT_EQ(checked.has_value(), span >= 0ns && span <= k_longest);
        if (checked) return;
        EXPECT_EQ(checked.error(), errc::bad_option);
        EXPECT_THAT(checked.error().message(), ::testing::HasSubstr(std::string{name}));
        EXPECT_THAT(checked.error().message(), ::testing::HasSubstr(base::duration_text(span)));
    };
    for (const auto count : k_counts) {
        const nanoseconds span{count};
        judge("max_hold", check_call({.max_hold = span}), span);
        judge("warn_before", check_call({.warn_before = span}), span);
        judge("retain_for", check_modes({.retain_for = span}), span);
        judge("lock_delay", check_modes({.lock_delay = span}), span);
    }
}

}  // namespace
}  // namespace turnstile::detail
