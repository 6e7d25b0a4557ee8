// SPDX-License-Identifier: Apache-2.0
// Tests the class `lock_series`, which counts the calls for one lock. The test chooses the time.
#include "client/lock_series.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using ending = lock_series::ending;
using counts = std::vector<std::uint64_t>;

constexpr boottime_clock::time_point k_start{1h};

class plain_hold final : public hold {
public:
    explicit plain_hold(boottime_clock::time_point until) : until_{until} {}
    [[nodiscard]] const std::string& path() const noexcept override { return path_; }
    [[nodiscard]] std::string znode() const override { return {}; }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override { return {}; }
    [[nodiscard]] fencing_vector tokens() const override { return {}; }
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override {
        return until_;
    }
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override {
        return until_;
    }
    [[nodiscard]] lease_evidence evidence() const noexcept override {
        return lease_evidence::direct;
    }
    [[nodiscard]] result<void> status() const override { return {}; }
    [[nodiscard]] std::stop_token lost_token() const noexcept override { return {}; }
    void on_lost(std::function<void(const error&)> /*callback*/) override {}
    [[nodiscard]] result<znode_holds> parts_for_commit() override { return znode_holds{}; }
    void run_as_callback(std::function<void()> /*task*/) override {}
    void unlock() noexcept override {}
    [[nodiscard]] boottime_clock::duration release_limit() const override { return {}; }
    result<void> release(boottime_clock::time_point /*deadline*/) override { return {}; }

private:
    const std::string path_ = "/a";
    const boottime_clock::time_point until_;
};

struct lock_series_test : ::testing::Test {
    lock_series series{"/a", {1ms, 1s}};
    const plain_hold held{k_start + 20s};

    void hold_for(boottime_clock::duration wait, boottime_clock::duration span, errc why,
                  ending manner) {
        const auto call = series.enter(k_start);
        series.grant(call, held, k_start + wait);
        series.end(call, why, manner, k_start + wait + span);
        series.forget(call);
    }
};

TEST_F(lock_series_test, puts_each_span_into_the_bucket_whose_bound_it_does_not_exceed) {
    hold_for(0ms, 1ms, errc::cancelled, ending::by_owner);
    hold_for(1ms, 1ms + 1ns, errc::cancelled, ending::by_owner);
    hold_for(1s, 1s + 1ns, errc::cancelled, ending::by_owner);
    const auto numbers = series.read(k_start);
    EXPECT_EQ(numbers.waits.counts, (counts{2, 1, 0}));
    EXPECT_EQ(numbers.holds.counts, (counts{1, 1, 1}));
    EXPECT_EQ(numbers.waits.bounds, (std::vector<double>{0.001, 1}));
    EXPECT_NEAR(numbers.waits.sum, 1.001, 1e-9);
    EXPECT_EQ(numbers.granted, 3U);
}

TEST_F(lock_series_test, counts_a_clock_that_went_back_as_no_time) {
    hold_for(-1s, 1ms, errc::cancelled, ending::by_owner);
    EXPECT_EQ(series.read(k_start).waits.counts, (counts{1, 0, 0}));
    EXPECT_EQ(series.read(k_start).waits.sum, 0);
}

TEST_F(lock_series_test, counts_losses_by_their_reason_and_releases_as_none) {
    hold_for(0s, 1s, errc::session_lost, ending::by_loss);
    hold_for(0s, 1s, errc::session_lost, ending::by_loss);
    hold_for(0s, 1s, errc::revoked, ending::by_loss);
    hold_for(0s, 1s, errc::cancelled, ending::by_owner);
    const auto numbers = series.read(k_start);
    const std::map<std::string, std::uint64_t> expected{
        {"closed", 0}, {"held_too_long", 0}, {"removed", 0}, {"revoked", 1}, {"session_lost", 2}};
    EXPECT_EQ(numbers.lost, expected);
    EXPECT_TRUE(numbers.refused.empty());
    EXPECT_EQ(numbers.holds.total(), 4U);
}

TEST_F(lock_series_test, counts_a_call_that_ends_without_a_grant_as_refused) {
    const auto call = series.enter(k_start);
    series.end(call, errc::timeout, ending::by_loss, k_start + 1s);
    series.grant(call, held, k_start + 2s);  // this grant comes too late and is given back
    const auto numbers = series.read(k_start);
    EXPECT_EQ(numbers.refused, (std::map<std::string, std::uint64_t>{{"timeout", 1}}));
    EXPECT_EQ(numbers.granted, 0U);
    EXPECT_EQ(numbers.held_now, 0U);
    series.forget(call);
}

TEST_F(lock_series_test, ends_a_hold_once) {
    const auto call = series.enter(k_start);
    series.grant(call, held, k_start);
    series.end(call, errc::cancelled, ending::by_owner, k_start + 1s);
    series.end(call, errc::session_lost, ending::by_loss, k_start + 2s);
    const auto numbers = series.read(k_start);
    EXPECT_EQ(numbers.holds.total(), 1U);
    EXPECT_EQ(numbers.lost.at("session_lost"), 0U);
    series.announce(call);
    const auto told = series.take_end(call).value();
    EXPECT_EQ(told.ended, k_start + 1s);
    EXPECT_EQ(told.why, errc::cancelled);
    series.forget(call);
}

TEST_F(lock_series_test, says_what_waits_and_what_is_held_now) {
    const auto holder = series.enter(k_start);
    series.grant(holder, held, k_start + 1s);
    const auto first = series.enter(k_start + 2s);
    const auto second = series.enter(k_start + 3s);
    series.note_ahead(first, 1);
    series.note_ahead(second, 2);
    const auto numbers = series.read(k_start + 10s);
    EXPECT_EQ(numbers.held_now, 1U);
    EXPECT_EQ(numbers.waiting_now, 2U);
    EXPECT_EQ(numbers.queue_depth, 2U);
    EXPECT_EQ(numbers.longest_wait, 8s);
    EXPECT_EQ(numbers.longest_hold, 9s);
    EXPECT_EQ(numbers.lease_margin, 10s);
    EXPECT_EQ(series.read(k_start + 30s).lease_margin, 0s);
    for (const auto& call : {holder, first, second}) series.forget(call);
    const auto none = series.read(k_start + 10s);
    EXPECT_EQ(none.held_now + none.waiting_now + none.queue_depth, 0U);
    EXPECT_FALSE(none.lease_margin);
}

TEST_F(lock_series_test, has_no_margin_where_holds_have_no_limit) {
    const plain_hold endless{boottime_clock::time_point::max()};
    const auto call = series.enter(k_start);
    series.grant(call, endless, k_start);
    EXPECT_FALSE(series.read(k_start).lease_margin);
    series.forget(call);
}

TEST_F(lock_series_test, tells_an_end_once_and_only_to_a_caller_that_had_the_guard) {
    const auto call = series.enter(k_start);
    series.grant(call, held, k_start);
    EXPECT_FALSE(series.take_end(call));
    series.end(call, errc::revoked, ending::by_loss, k_start + 1s);
    EXPECT_FALSE(series.take_end(call));
    series.announce(call);
    EXPECT_EQ(series.take_end(call).value().why, errc::revoked);
    EXPECT_FALSE(series.take_end(call));
    series.forget(call);
}

TEST_F(lock_series_test, counts_calls_of_several_threads) {
    constexpr int k_threads = 4;
    constexpr int k_calls = 50'000;
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int i = 0; i != k_threads; ++i) {
        threads.emplace_back([&] {
            // The threads wait for each other, so that their calls overlap.
            for (++ready; ready != k_threads;) std::this_thread::yield();
            for (int n = 0; n != k_calls; ++n) {
                hold_for(1ms, 1ms, errc::cancelled, ending::by_owner);
                if (n % 100 == 0) static_cast<void>(series.read(k_start));
            }
        });
    }
    for (auto& each : threads) each.join();
    const auto numbers = series.read(k_start);
    EXPECT_EQ(numbers.granted, std::uint64_t{k_threads} * k_calls);
    EXPECT_EQ(numbers.holds.total(), numbers.granted);
    EXPECT_EQ(numbers.held_now, 0U);
}

}  // namespace
}  // namespace turnstile::detail
