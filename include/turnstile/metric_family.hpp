// SPDX-License-Identifier: Apache-2.0
// metric_family: measured numbers in the form that monitoring systems read. prometheus_text() writes them for
// Prometheus.
//
// metrics.hpp fills families with the numbers of a program's locks. A program can add more families, and write all of
// them into one answer:
//
//     std::vector<turnstile::metric_family> page = turnstile::families_of(numbers.snapshot());
//     page.push_back({"shop_orders_total", turnstile::metric_kind::counter, "Orders taken.", {{.value = 17}}});
//     const std::string body = turnstile::prometheus_text(page);
//
// Names and units follow Prometheus' rules: a name ends with its base unit (seconds, bytes), and the name of a counter
// ends with `_total`.
//
// Thread safety: values, and pure functions.
#pragma once

#include "turnstile/language.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "turnstile/export.hpp"

namespace turnstile {

// `counter`: a number that only grows. `gauge`: a number at the instant of the reading. `histogram`: a distribution.
enum class metric_kind { counter, gauge, histogram };

// A distribution of measured values.
struct TURNSTILE_EXPORT metric_histogram {
    std::vector<double> bounds{};  // inclusive upper bound of each bucket, ascending
    // The number of values in each bucket, not cumulative. The last count is the number of values above the last bound.
    // `counts` is empty, or has one element more than `bounds`.
    std::vector<std::uint64_t> counts{};
    double sum = 0;  // sum of all values

    // Returns the number of values.
    [[nodiscard]] std::uint64_t total() const noexcept;
    // Returns an estimate of the value below which the fraction `q` (0 to 1) of all values lies, like Prometheus'
    // histogram_quantile(): it interpolates inside a bucket, and returns the last bound if the value is above that
    // bound. Returns 0 for an empty histogram. Uses 0 for a `q` below 0, and 1 for a `q` above 1.
    [[nodiscard]] double quantile(double q) const noexcept;
};

// A number of a family, with the labels that distinguish it from the other numbers of the family.
struct metric_sample {
    std::vector<std::pair<std::string, std::string>> labels{};  // names and values
    double value = 0;                                           // for a counter or a gauge
    metric_histogram histogram{};                               // for a histogram
};

// All numbers of one metric. They have the same name, and differ in their labels.
struct metric_family {
    std::string name;                       // name of the metric
    metric_kind kind = metric_kind::gauge;  // kind of all samples
    std::string help;                       // a sentence that describes the metric
    std::vector<metric_sample> samples{};   // a sample for each set of labels
};

// The value of the HTTP header Content-Type for the text of prometheus_text().
inline constexpr std::string_view k_prometheus_content_type =
    "text/plain; version=0.0.4; charset=utf-8";

// Returns the families in Prometheus' text format 0.0.4. The text leaves out families without samples. Bytes of a
// label's value that are not UTF-8 become U+FFFD. The caller must ensure that names are valid and that each name occurs
// once.
[[nodiscard]] TURNSTILE_EXPORT std::string prometheus_text(std::span<const metric_family> families);

}  // namespace turnstile
