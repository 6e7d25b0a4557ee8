// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/template_times.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace turnstile::admin {
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
