// SPDX-License-Identifier: Apache-2.0
// Runs the example of turnstile/prometheus.hpp, and compares prometheus-cpp's text with the library's.
#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <string>
#include <vector>

#include "headers/reader.hpp"
#include "turnstile/prometheus.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

// Replaces prometheus-cpp's Exposer, which would open a port.
struct collector {
    void RegisterCollectable(const std::weak_ptr<::prometheus::Collectable>& page) {
        text = ::prometheus::TextSerializer{}.Serialize(page.lock()->Collect());
    }
    std::string text;
};

TEST(header_examples, prometheus) {
    const auto numbers = metrics::start();
    const client servers{own_tree(), {.metrics = numbers}};
    mutex{servers, "/a"}.acquire().value().unlock();
    collector exposer;
#include "examples/prometheus.inc"
    EXPECT_THAT(exposer.text, HasSubstr("# TYPE turnstile_lock_wait_seconds histogram\n"));
    EXPECT_THAT(exposer.text,
                HasSubstr("turnstile_lock_wait_seconds_bucket{lock=\"/a\",le=\"+Inf\"} 1\n"));
    EXPECT_THAT(exposer.text, HasSubstr("turnstile_lock_wait_seconds_count{lock=\"/a\"} 1\n"));
    EXPECT_THAT(exposer.text, HasSubstr("turnstile_lock_granted_total{lock=\"/a\"} 1\n"));
    EXPECT_THAT(exposer.text, HasSubstr("turnstile_sessions{state=\"connected\"} 1\n"));
}

TEST(prometheus_families, have_the_buckets_added_up) {
    const auto families = prometheus_families(
        {{"a_seconds", metric_kind::histogram, "Help.", {{{}, 0, {{1, 2}, {1, 2, 4}, 9}}}},
         {"b", metric_kind::gauge, "Without samples.", {}}});
    ASSERT_EQ(families.size(), 1U);
    const auto& histogram = families.front().metric.front().histogram;
    EXPECT_EQ(histogram.sample_count, 7U);
    EXPECT_EQ(histogram.sample_sum, 9);
    ASSERT_EQ(histogram.bucket.size(), 3U);
    EXPECT_EQ(histogram.bucket[1].cumulative_count, 3U);
    EXPECT_EQ(histogram.bucket[2].cumulative_count, 7U);
}

}  // namespace
}  // namespace turnstile::tests
