// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace demo {

namespace {

struct totals {
    int grants = 0;
    std::ptrdiff_t sales = 0;
    duration longest_wait{};
    duration held{};
};

totals totals_of(int worker, const std::vector<hold>& holds, const std::vector<sale>& sales) {
    totals sum;
    for (const auto& h : holds) {
        if (h.worker != worker) continue;
        ++sum.grants;
        sum.longest_wait = std::max(sum.longest_wait, h.from - h.asked);
        sum.held += h.to - h.from;
    }
    sum.sales = std::count_if(sales.begin(), sales.end(),
                              [worker](const sale& s) { return s.worker == worker; });
    return sum;
}

std::string fate_of(int worker, const run_record& run) {
    for (const auto cause :
         {event_kind::killed, event_kind::killed_guarded, event_kind::killed_again}) {
        const auto killed = first_of(run, cause);
        if (!killed || killed->worker != worker) continue;
        const auto over = hand_over_after(run, cause);
        return fmt::format(
            "killed while holding{}{}", cause == event_kind::killed_guarded ? ", guarded" : "",
            over ? fmt::format("; handed over after {}", in_milliseconds(over->took)) : "");
    }
    const auto server = first_of(run, event_kind::server_killed);
    const auto back = first_of(run, event_kind::server_back);
    if (server && back && server->worker == worker)
        return fmt::format("held while the server was away for {}",
                           in_milliseconds(back->at - server->at));
    const auto stopped = first_of(run, event_kind::stopped);
    const auto resumed = first_of(run, event_kind::resumed);
    if (!stopped || !resumed || stopped->worker != worker) return {};
    auto text = fmt::format("stopped {}", in_seconds(resumed->at - stopped->at));
    if (const auto over = hand_over_after(run, event_kind::stopped)) {
        text += fmt::format("; handed over after {}", in_milliseconds(over->took));
    }
    if (after_pause(run, event_kind::lost)) text += "; lost";
    if (after_pause(run, event_kind::refused)) text += ", write refused";
    return text;
}

}  // namespace

std::string worker_table(const run_record& run, const terminal& out) {
    const auto holds = holds_of(run);
    auto text =
        out.paint(tint::strong, fmt::format("{:<9}{:>7}{:>7}{:>14}{:>12}  {}", "worker", "grants",
                                            "sales", "longest wait", "held", "")) +
        "\n";
    for (int worker = 1; worker <= run.settings.workers; ++worker) {
        const auto sum = totals_of(worker, holds, run.sales);
        text += fmt::format("{:<9}{:>7}{:>7}{:>14}{:>12}  {}\n", worker, sum.grants, sum.sales,
                            in_milliseconds(sum.longest_wait), in_milliseconds(sum.held),
                            out.paint(tint::yellow, fate_of(worker, run)));
    }
    return text;
}

std::string check_list(const std::vector<check>& checks, const terminal& out) {
    std::size_t widest = 0;
    for (const auto& c : checks) widest = std::max(widest, c.promise.size());
    std::string text;
    for (const auto& c : checks) {
        const auto verdict =
            c.passed ? out.paint(tint::green, "PASS") : out.paint(tint::red, "FAIL");
        text += fmt::format("{}  {:<{}}  {}\n", verdict, c.promise, widest,
                            out.paint(tint::dim, c.numbers));
    }
    return text;
}

}  // namespace demo
