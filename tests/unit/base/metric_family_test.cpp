// SPDX-License-Identifier: Apache-2.0
// Tests the text for Prometheus, and the estimates that histograms give.
#include "turnstile/metric_family.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace turnstile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of_sample(metric_kind kind, metric_sample sample) {
    const metric_family family{"a_b", kind, "Help.", {std::move(sample)}};
    return prometheus_text({&family, 1});
}

TEST(prometheus_text, has_the_help_the_type_and_a_line_for_each_sample) {
    EXPECT_EQ(text_of_sample(metric_kind::counter, {{{"x", "1"}, {"y", "2"}}, 3}),
              "# HELP a_b Help.\n# TYPE a_b counter\na_b{x=\"1\",y=\"2\"} 3\n");
    EXPECT_EQ(text_of_sample(metric_kind::gauge, {.value = 0.25}),
              "# HELP a_b Help.\n# TYPE a_b gauge\na_b 0.25\n");
}

TEST(prometheus_text, leaves_out_a_family_without_samples) {
    const metric_family family{"a_b", metric_kind::gauge, "Help.", {}};
    EXPECT_EQ(prometheus_text({&family, 1}), "");
}

TEST(prometheus_text, adds_up_the_buckets_of_a_histogram) {
    const metric_sample sample{{{"lock", "/a"}}, 0, {{0.001, 2.5}, {1, 2, 4}, 99.5}};
    EXPECT_EQ(text_of_sample(metric_kind::histogram, sample),
              "# HELP a_b Help.\n# TYPE a_b histogram\n"
              "a_b_bucket{lock=\"/a\",le=\"0.001\"} 1\n"
              "a_b_bucket{lock=\"/a\",le=\"2.5\"} 3\n"
              "a_b_bucket{lock=\"/a\",le=\"+Inf\"} 7\n"
              "a_b_sum{lock=\"/a\"} 99.5\n"
              "a_b_count{lock=\"/a\"} 7\n");
}

TEST(prometheus_text, escapes_what_would_end_a_value) {
    EXPECT_THAT(text_of_sample(metric_kind::gauge, {{{"x", "a\"b\\c\nd"}}, 1}),
                HasSubstr("{x=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST(prometheus_text, has_only_valid_utf8) {
    const auto text = text_of_sample(metric_kind::gauge, {{{"x",
                                                            "\xff"
                                                            "\xc3\xa4"}},
                                                          1});
    EXPECT_THAT(text, HasSubstr("{x=\"\xef\xbf\xbd\xc3\xa4\"}"));
}

TEST(prometheus_text, prints_numbers_that_read_back_as_the_same) {
    const auto value = [](double number) {
        return text_of_sample(metric_kind::gauge, {.value = number});
    };
    EXPECT_THAT(value(9007199254740991), HasSubstr("a_b 9007199254740991\n"));
    EXPECT_THAT(value(1e300), HasSubstr("a_b 1e+300\n"));
    EXPECT_THAT(value(std::numeric_limits<double>::infinity()), HasSubstr("a_b +Inf\n"));
    EXPECT_THAT(value(std::numeric_limits<double>::quiet_NaN()), HasSubstr("a_b NaN\n"));
}

TEST(metric_histogram, estimates_inside_of_the_bucket) {
    const metric_histogram ten{{1, 2, 4}, {0, 10, 0, 0}, 15};
    EXPECT_DOUBLE_EQ(ten.quantile(0.5), 1.5);
    EXPECT_DOUBLE_EQ(ten.quantile(1), 2);
    EXPECT_DOUBLE_EQ(ten.quantile(0), 1);
    EXPECT_EQ(ten.total(), 10U);
}

TEST(metric_histogram, estimates_at_the_ends) {
    EXPECT_DOUBLE_EQ(metric_histogram{}.quantile(0.5), 0);
    const metric_histogram above{{1, 2}, {0, 0, 3}, 30};
    EXPECT_DOUBLE_EQ(above.quantile(0.99), 2);
    const metric_histogram first{{1, 2}, {4, 0, 0}, 2};
    EXPECT_DOUBLE_EQ(first.quantile(0.5), 0.5);
    EXPECT_DOUBLE_EQ(first.quantile(7), 1);
}

}  // namespace
}  // namespace turnstile
