// SPDX-License-Identifier: Apache-2.0
#include "events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace demo {

namespace {

constexpr std::array<std::string_view, 17> k_names{
    "ready",        "asked",    "granted",  "parked",        "lost",       "sold",
    "refused",      "released", "sold_out", "failed",        "killed",     "killed_guarded",
    "killed_again", "stopped",  "resumed",  "server_killed", "server_back"};

std::optional<event_kind> kind_of(std::string_view name) {
    const auto* const found = std::find(k_names.begin(), k_names.end(), name);
    if (found == k_names.end()) return std::nullopt;
    return static_cast<event_kind>(found - k_names.begin());
}

}  // namespace

std::string_view to_string(event_kind kind) noexcept {
    return k_names.at(static_cast<std::size_t>(kind));
}

std::string to_line(const event& e) {
    return fmt::format("{} {} {} {} {} {} {}", to_string(e.kind), e.worker,
                       e.at.time_since_epoch().count(), e.token.to_string(), e.number, e.epoch,
                       e.text);
}

std::optional<event> parse_line(std::string_view line) {
    std::istringstream in{std::string{line}};
    std::string kind_name;
    std::string token_text;
    std::int64_t at = 0;
    event e;
    if (!(in >> kind_name >> e.worker >> at >> token_text >> e.number >> e.epoch)) {
        return std::nullopt;
    }
    const auto kind = kind_of(kind_name);
    const auto token = turnstile::fencing_token::parse(token_text);
    if (!kind || !token) return std::nullopt;
    e.kind = *kind;
    e.at = time_point{duration{at}};
    e.token = *token;
    std::getline(in >> std::ws, e.text);
    return e;
}

}  // namespace demo
