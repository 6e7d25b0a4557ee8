// SPDX-License-Identifier: Apache-2.0
// Tests the schedule explorer. It must find textbook races, must pass the same programs without these races, and must
// replay its findings.
#include "schedule/explorer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <thread>

#include "base/mutex.hpp"
#include "explore/support.hpp"

namespace turnstile::explore {
namespace {

using ::testing::HasSubstr;

constexpr budget k_enough{.schedules = 500};

void expect_found(const scenario& scenario, verdict how, unsigned deviations) {
    explorer all{scenario};
    const auto few = all.deviations(deviations, k_enough);
    ASSERT_TRUE(few.found) << "not with " << deviations << " deviations";
    EXPECT_EQ(few.found->result, how) << few.found->text;
    const auto least = all.shrink(*few.found);
    const auto again = plan::parse(least.how.to_string());
    ASSERT_TRUE(again);
    for (int i = 0; i != 3; ++i) {
        const auto replayed = all.run(*again);
        ASSERT_TRUE(replayed) << again->to_string();
        EXPECT_EQ(replayed->text, least.text);
    }
    EXPECT_FALSE(describe(all.last(), 10).empty());
    const auto random = all.random(1, k_enough);
    ASSERT_TRUE(random.found) << "not by chance";
    EXPECT_TRUE(all.run(random.found->how)) << random.found->how.to_string();
}

void expect_clean(const scenario& scenario) {
    explorer all{scenario};
    const auto few = all.deviations(1, k_enough);
    EXPECT_FALSE(few.found) << few.found->how.to_string() << ": " << few.found->text;
    const auto random = all.random(1, k_enough);
    EXPECT_FALSE(random.found) << random.found->how.to_string() << ": " << random.found->text;
}

TEST(explorer, finds_a_check_that_is_old_when_it_is_used) {
    expect_found({"check", "",
                  [] {
                      base::mutex mutex;
                      int count = 0;
                      const auto add = [&] {
                          int seen = 0;
                          {
                              const base::lock_guard lock{mutex};
                              seen = count;
                          }
                          const base::lock_guard lock{mutex};
                          count = seen + 1;
                      };
                      {
                          actor other{add};
                          add();
                      }
                      require(count == 2, "an addition was lost");
                  }},
                 verdict::failed, 1);
}

TEST(explorer, finds_two_locks_that_are_taken_in_two_orders) {
    expect_found({"order", "",
                  [] {
                      std::mutex a;
                      std::mutex b;
                      actor other{[&] {
                          const std::scoped_lock first{a};
                          const std::scoped_lock second{b};
                      }};
                      const std::scoped_lock first{b};
                      const std::scoped_lock second{a};
                  }},
                 verdict::deadlock, 1);
}

TEST(explorer, finds_a_wake_up_that_comes_before_the_wait) {
    expect_found({"wake", "",
                  [] {
                      base::mutex mutex;
                      base::condition_variable changed;
                      std::atomic<bool> done{false};
                      actor other{[&] {
                          done = true;
                          changed.notify_all();
                      }};
                      if (done) return;
                      base::unique_lock lock{mutex};
                      changed.wait(lock);
                  }},
                 verdict::deadlock, 1);
}

TEST(explorer, finds_a_crash) {
    expect_found({"crash", "",
                  [] {
                      base::mutex mutex;
                      auto* shared = new int{1};
                      actor other{[&] {
                          const base::lock_guard lock{mutex};
                          shared = nullptr;
                      }};
                      const base::lock_guard lock{mutex};
                      require(*static_cast<volatile int*>(shared) == 1, "it is one");
                  }},
                 verdict::unfinished, 1);
}

TEST(explorer, passes_what_is_right) {
    expect_clean({"right", "", [] {
                      base::mutex mutex;
                      base::condition_variable changed;
                      int count = 0;
                      {
                          actor first{[&] {
                              const base::lock_guard lock{mutex};
                              ++count;
                              changed.notify_all();
                          }};
                          base::unique_lock lock{mutex};
                          while (count == 0) changed.wait(lock);
                      }
                      require(count == 1, "one");
                  }});
}

TEST(explorer, knows_what_the_standard_library_waits_with) {
    expect_clean({"standard", "", [] {
                      std::mutex mutex;
                      std::condition_variable changed;
                      std::binary_semaphore ready{0};
                      bool done = false;
                      std::jthread other{[&] {
                          ready.release();
                          const std::lock_guard lock{mutex};
                          done = true;
                          changed.notify_one();
                      }};
                      ready.acquire();
                      std::unique_lock lock{mutex};
                      changed.wait(lock, [&] { return done; });
                  }});
}

TEST(explorer, time_passes_when_nobody_can_go_on) {
    expect_clean({"time", "", [] {
                      const auto before = boottime_clock::now();
                      pass(std::chrono::hours{24});
                      require(boottime_clock::now() - before >= std::chrono::hours{24}, "a day");
                  }});
}

TEST(explorer, a_wait_of_the_standard_library_ends_with_its_time) {
    expect_clean({"timed", "", [] {
                      std::binary_semaphore never{0};
                      const auto before = boottime_clock::now();
                      require(!never.try_acquire_for(std::chrono::hours{24}), "nobody released");
                      require(boottime_clock::now() - before >= std::chrono::hours{24}, "a day");
                  }});
}

TEST(explorer, few_deviations_are_all_of_them) {
    explorer all{{"steps", "", [] {
                      base::mutex mutex;
                      actor other{[&] { const base::lock_guard lock{mutex}; }};
                      const base::lock_guard lock{mutex};
                  }}};
    const auto none = all.deviations(0, {});
    EXPECT_TRUE(none.complete);
    EXPECT_EQ(none.schedules, 1U);
    const auto two = all.deviations(2, {});
    EXPECT_TRUE(two.complete);
    EXPECT_GT(two.schedules, all.deviations(1, {}).schedules);
}

TEST(plan, is_read_as_it_is_written) {
    for (const plan& sample : {plan{}, plan{.deviations = {{17, 2}, {40, 0}}},
                               plan{.how = plan::kind::priorities, .seed = 7, .depth = 2},
                               plan{.how = plan::kind::walk, .seed = 9, .depth = 8}}) {
        EXPECT_EQ(plan::parse(sample.to_string()), sample) << sample.to_string();
    }
    for (const auto* text : {"", "deviations:1", "deviations:1=2;", "walk:", "priorities:1", "x"})
        EXPECT_EQ(plan::parse(text), std::nullopt) << text;
}

}  // namespace
}  // namespace turnstile::explore
