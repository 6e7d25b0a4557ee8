// SPDX-License-Identifier: Apache-2.0
#include "admin/api/audit_pages.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "admin/http/limits.hpp"
#include "admin/http/refusal.hpp"
#include "support/visible.hpp"

namespace turnstile::admin {
namespace {

constexpr std::uint64_t k_most_entries = 1'000;
constexpr std::array k_columns{"time", "action", "path", "kind",    "znode",   "user",
                               "who",  "why",    "from", "outcome", "message", "times"};

audit_list list_of(const std::string& word) {
    if (word.empty() || word == "orders") return audit_list::orders;
    if (word == "sign_ins") return audit_list::sign_ins;
    throw refusal{400, "bad_request", "list: expected orders or sign_ins"};
}

wall_time time_asked(const query& asked, const char* name, wall_time otherwise) {
    const auto text = asked.text(name).value_or("");
    if (text.empty()) return otherwise;
    const auto time = parse_time(text);
    if (!time)
        throw refusal{400, "bad_request",
                      std::string{name} + ": expected a time, such as 2026-11-21T04:38:36Z"};
    return *time;
}

audit_filter audit_filter_of(const query& asked) {
    const auto text = [&](const char* name) { return asked.text(name).value_or(""); };
    return {.list = list_of(text("list")),
            .action = text("action"),
            .outcome = text("outcome"),
            .author = text("who"),
            .path = text("path"),
            .since = time_asked(asked, "since", wall_time::min()),
            .until = time_asked(asked, "until", wall_time::max())};
}

// A spreadsheet takes a cell that begins with one of these characters for a formula, which may run programs. Spaces
// before the character do not prevent this.
bool looks_like_formula(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(' ');
    return first != std::string_view::npos &&
           std::string_view{"=+-@"}.find(text[first]) != std::string_view::npos;
}

std::string cell(const json& value) {
    return csv_cell(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

std::string csv_cell(std::string_view raw) {
    auto text = support::visible(raw);
    if (looks_like_formula(text)) text.insert(0, 1, '\'');
    std::string quoted{'"'};
    for (const char c : text) quoted += c == '"' ? std::string{"\"\""} : std::string{c};
    return quoted + '"';
}

std::vector<std::string> audit_parameters(bool paged) {
    std::vector<std::string> all{"list", "action", "outcome", "who", "path", "since", "until"};
    if (paged) all.insert(all.end(), {"offset", "limit"});
    return all;
}

json audit_page(site& at, const query& asked) {
    const auto offset = asked.number("offset", 0, {.least = 0, .most = k_most_entries});
    const auto limit = asked.number("limit", 50, {.least = 1, .most = k_most_entries});
    const auto page = at.audit.read(audit_filter_of(asked), offset, limit);
    auto entries = json::array();
    for (const auto& each : page.entries) entries.push_back(json::parse(audit_line(each)));
    return {{"total", page.total}, {"offset", offset}, {"limit", limit}, {"entries", entries}};
}

std::string audit_csv(site& at, const query& asked) {
    const auto page = at.audit.read(audit_filter_of(asked), 0, k_most_entries);
    std::string text;
    for (const auto* column : k_columns) text += (text.empty() ? "" : ",") + std::string{column};
    text += "\r\n";
    for (const auto& each : page.entries) {
        const auto entry = json::parse(audit_line(each));
        std::string line;
        for (const auto* column : k_columns)
            line += (line.empty() ? "" : ",") + cell(entry.at(column));
        text += line + "\r\n";
    }
    return text;
}

json orders_page(site& at, const query& /*asked*/) {
    auto orders = json::array();
    for (const auto& [number, facts] : at.orders.list())
        orders.push_back(
            {{"order", number},
             {"action", facts.action},
             {"path", facts.lock.first},
             {"kind", to_string(facts.lock.second)},
             {"znode", facts.znode},
             {"user", facts.user},
             {"who", facts.by},
             {"why", facts.why},
             {"from", facts.from},
             {"begun", utc(facts.begun)},
             {"at_most_ms", facts.at_most ? json(facts.at_most->count()) : json(nullptr)}});
    return {{"orders", std::move(orders)}, {"most", k_most_takes}};
}

}  // namespace turnstile::admin
