// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/distribution.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace turnstile::admin {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_first{10};
constexpr milliseconds k_last{500'000'000};
constexpr std::array<int, 3> k_steps{1, 2, 5};

milliseconds nearest_rank(const std::vector<milliseconds>& sorted, std::size_t percent) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<duration_bucket> empty_buckets() {
    std::vector<duration_bucket> buckets;
    for (milliseconds power = k_first; power <= k_last; power *= 10)
        for (const int step : k_steps)
            if (power * step <= k_last) buckets.push_back({power * step, 0});
    buckets.push_back({std::nullopt, 0});
    return buckets;
}

std::vector<duration_bucket> buckets_of(const std::vector<milliseconds>& times) {
    auto buckets = empty_buckets();
    for (const auto time : times) {
        auto fitting = buckets.begin();
        while (fitting->at_most && time > *fitting->at_most) ++fitting;
        ++fitting->count;
    }
    const auto used = [](const duration_bucket& each) { return each.count != 0; };
    buckets.erase(std::find_if(buckets.rbegin(), buckets.rend(), used).base(), buckets.end());
    buckets.erase(buckets.begin(), std::find_if(buckets.begin(), buckets.end(), used));
    return buckets;
}

}  // namespace

distribution distribution_of(std::vector<milliseconds> times) {
    distribution result;
    if (times.empty()) return result;
    std::sort(times.begin(), times.end());
    result.count = times.size();
    result.p50 = nearest_rank(times, 50);
    result.p90 = nearest_rank(times, 90);
    result.p99 = nearest_rank(times, 99);
    result.longest = times.back();
    result.buckets = buckets_of(times);
    return result;
}

namespace {

using std::chrono::milliseconds;

struct collected {
    std::size_t locks = 0;
    std::vector<milliseconds> holds;
    std::vector<milliseconds> waits;
    std::map<hold_end, std::size_t> ends;

    void add(const hold_span& span) {
        if (span.waited) waits.push_back(between(span.created, span.from));
        if (!span.to) return;
        holds.push_back(between(span.from, *span.to));
        ++ends[span.end.value_or(hold_end::unknown)];
    }

private:
    static milliseconds between(wall_time from, wall_time to) {
        return std::chrono::duration_cast<milliseconds>(std::max(from, to) - from);
    }
};

}  // namespace

std::string template_of(std::string_view path) {
    return std::string{path.substr(0, path.rfind('/') + 1)} + "{}";
}

std::vector<template_times> times_by_template(const history& of, std::size_t most) {
    std::map<std::string, collected> forms;
    of.for_each_lock([&](const lock_key& lock, const auto& spans) {
        auto& form = forms[template_of(lock.first)];
        ++form.locks;
        for (const auto& span : spans.ended) form.add(span);
        for (const auto& span : spans.lasting) form.add(span);
    });
    std::vector<template_times> all;
    for (auto& [name, form] : forms) {
        template_times times{.form = name, .locks = form.locks};
        times.holds = distribution_of(std::move(form.holds));
        times.waits = distribution_of(std::move(form.waits));
        times.released = form.ends[hold_end::released];
        times.taken = form.ends[hold_end::taken];
        times.unknown = form.ends[hold_end::unknown];
        all.push_back(std::move(times));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.holds.count > b.holds.count; });
    if (all.size() > most) all.resize(most);
    return all;
}

}  // namespace turnstile::admin
