// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_report.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "admin/reading/lock_json.hpp"
#include "cli/table.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

using json = nlohmann::ordered_json;
using durations = std::vector<boottime_clock::duration>;

double milliseconds(boottime_clock::duration span) {
    return std::chrono::duration<double, std::milli>{span}.count();
}

double per_second(const bench_report& report) {
    const double seconds = std::chrono::duration<double>{report.samples.span}.count();
    return seconds > 0 ? static_cast<double>(report.samples.acquires.size()) / seconds : 0;
}

std::string decimal(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string cell(durations& all, double part) {
    return all.empty() ? "" : decimal(milliseconds(percentile(all, part)), 2) + " ms";
}

json distribution(durations& all) {
    return {{"count", all.size()},
            {"p50_ms", milliseconds(percentile(all, 0.5))},
            {"p99_ms", milliseconds(percentile(all, 0.99))},
            {"max_ms", milliseconds(percentile(all, 1))}};
}

}  // namespace

std::string bench_text(bench_report report) {
    auto& samples = report.samples;
    auto text = support::visible(report.path) + ": " + std::to_string(samples.acquires.size()) +
                " grants of one mutex to " + std::to_string(report.clients) + " clients in " +
                decimal(milliseconds(samples.span) / 1'000, 1) + " s, " +
                decimal(per_second(report), 1) + " a second\n";
    table rows{{"", "P50", "P99", "MAX"}};
    rows.add({"acquire", cell(samples.acquires, 0.5), cell(samples.acquires, 0.99),
              cell(samples.acquires, 1)});
    rows.add({"hand-over", cell(samples.hand_overs, 0.5), cell(samples.hand_overs, 0.99),
              cell(samples.hand_overs, 1)});
    text += rows.text();
    if (report.received > 0)
        text += "the servers received " + std::to_string(report.received) +
                " packets meanwhile, including the packets of other clients\n";
    return text;
}

std::string bench_json(bench_report report) {
    auto& samples = report.samples;
    json result{{"path", report.path},
                {"clients", report.clients},
                {"seconds", milliseconds(samples.span) / 1'000},
                {"grants", samples.acquires.size()},
                {"grants_per_second", per_second(report)},
                {"acquire", distribution(samples.acquires)},
                {"hand_over", distribution(samples.hand_overs)}};
    result["packets_received"] = report.received > 0 ? json(report.received) : json(nullptr);
    return admin::printed(result) + '\n';
}

}  // namespace turnstile::cli
