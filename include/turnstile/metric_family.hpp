// SPDX-License-Identifier: Apache-2.0
// metric_family: measured numbers in the form that monitoring systems read, and their text for Prometheus.
//
// metrics.hpp fills families with the numbers of a program's locks. A program can add more families, and writes all
// of them in one answer:
//
//     std::vector<turnstile::metric_family> page = turnstile::families_of(numbers.snapshot());
//     page.push_back({"shop_orders_total", turnstile::metric_kind::counter, "Orders taken.", {{.value = 17}}});
//     const std::string body = turnstile::prometheus_text(page);
//
// Names and units follow Prometheus: base units (seconds, bytes) at the end of the name, and `_total` for a counter.
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
    std::vector<double> bounds{};  // upper bound of each bucket, included, in ascending order
    // The number of values in each bucket alone; the last count belongs to the values above the last bound. Either
    // empty, or one longer than `bounds`.
    std::vector<std::uint64_t> counts{};
    double sum = 0;  // sum of all values

    // Returns the number of values.
    [[nodiscard]] std::uint64_t total() const noexcept;
    // Returns an estimate of the value below which the fraction `q` (0 to 1) of all values lies, as Prometheus'
    // histogram_quantile() does: it interpolates inside the bucket, and returns the last bound for a value above it.
    // Returns 0 for an empty histogram. `q` outside of 0 to 1 counts as the nearer end.
    [[nodiscard]] double quantile(double q) const noexcept;
};

// A number of a family, with the labels that distinguish it from the other numbers of the family.
struct metric_sample {
    std::vector<std::pair<std::string, std::string>> labels{};  // names and values
    double value = 0;                                           // for a counter or a gauge
    metric_histogram histogram{};                               // for a histogram
};

// All numbers of one name.
struct metric_family {
    std::string name;                       // name of the metric
    metric_kind kind = metric_kind::gauge;  // kind of all samples
    std::string help;                       // a sentence
    std::vector<metric_sample> samples{};   // a sample for each set of labels
};

// The value of the HTTP header Content-Type for the text of prometheus_text().
inline constexpr std::string_view k_prometheus_content_type =
    "text/plain; version=0.0.4; charset=utf-8";

// Returns the families in Prometheus' text format 0.0.4. It leaves out families without samples. Bytes of a label's
// value that are not UTF-8 become U+FFFD. The caller ensures that names are valid and that each name occurs once.
[[nodiscard]] TURNSTILE_EXPORT std::string prometheus_text(std::span<const metric_family> families);

}  // namespace turnstile
