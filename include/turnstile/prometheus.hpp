// SPDX-License-Identifier: Apache-2.0
// prometheus_collectable: passes the numbers of metrics.hpp to prometheus-cpp (Debian's prometheus-cpp-dev).
//
// A program that has an Exposer adds the numbers of its locks to the same page:
//
//     const auto locks = std::make_shared<turnstile::prometheus_collectable>(numbers);
//     exposer.RegisterCollectable(locks);
//
// This header needs only the core of prometheus-cpp. The program links prometheus-cpp::core.
//
// Thread safety: any thread may call Collect().
#pragma once

#include "turnstile/language.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include "turnstile/metrics.hpp"

namespace turnstile {

namespace detail {

inline ::prometheus::MetricType prometheus_type(metric_kind kind) {
    if (kind == metric_kind::counter) return ::prometheus::MetricType::Counter;
    if (kind == metric_kind::gauge) return ::prometheus::MetricType::Gauge;
    return ::prometheus::MetricType::Histogram;
}

inline ::prometheus::ClientMetric prometheus_metric(metric_kind kind, const metric_sample& sample) {
    ::prometheus::ClientMetric metric;
    for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
    if (kind == metric_kind::counter) metric.counter.value = sample.value;
    if (kind == metric_kind::gauge) metric.gauge.value = sample.value;
    if (kind != metric_kind::histogram) return metric;
    const auto& from = sample.histogram;
    std::uint64_t below = 0;
    for (std::size_t i = 0; i != from.counts.size(); ++i) {
        below += from.counts[i];
        const double bound =
            i < from.bounds.size() ? from.bounds[i] : std::numeric_limits<double>::infinity();
        metric.histogram.bucket.push_back({below, bound});
    }
    metric.histogram.sample_count = below;
    metric.histogram.sample_sum = from.sum;
    return metric;
}

}  // namespace detail

// Returns the families as objects of prometheus-cpp.
inline std::vector<::prometheus::MetricFamily> prometheus_families(
    const std::vector<metric_family>& from) {
    std::vector<::prometheus::MetricFamily> all;
    for (const auto& each : from) {
        ::prometheus::MetricFamily family;
        family.name = each.name;
        family.help = each.help;
        family.type = detail::prometheus_type(each.kind);
        for (const auto& sample : each.samples)
            family.metric.push_back(detail::prometheus_metric(each.kind, sample));
        if (!family.metric.empty()) all.push_back(std::move(family));
    }
    return all;
}

// A Collectable that takes a snapshot whenever prometheus-cpp calls Collect().
class prometheus_collectable final : public ::prometheus::Collectable {
public:
    // Makes a Collectable for the metrics object `numbers`.
    explicit prometheus_collectable(metrics numbers) : numbers_{std::move(numbers)} {}

    // Returns the families of the present numbers. prometheus-cpp calls this function.
    [[nodiscard]] std::vector<::prometheus::MetricFamily> Collect() const override {
        return prometheus_families(families_of(numbers_.snapshot()));
    }

private:
    const metrics numbers_;
};

}  // namespace turnstile
