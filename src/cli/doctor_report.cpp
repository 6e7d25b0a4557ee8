// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "admin/reading/lock_json.hpp"
#include "cli/duration.hpp"
#include "cli/module_list.hpp"
#include "cli/text_layout.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

using json = nlohmann::ordered_json;

// The text output shows at most this many findings of each kind. The JSON output has all findings.
constexpr std::size_t k_most_of_a_kind = 10;

std::string milliseconds_text(double milliseconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f ms", milliseconds);
    return text.data();
}

double round_trip_ms(const server_health& server) {
    return static_cast<double>(server.round_trip.count()) / 1'000;
}

std::string server_table(const examination& seen) {
    table rows{{"SERVER", "ROLE", "VERSION", "ROUND TRIP", "LATENCY", "CONNECTIONS", "STATE"}};
    for (const auto& server : seen.servers) {
        const bool tells = server.role != server_role::unknown;
        rows.add({server.name, tells ? std::string{to_string(server.role)} : "", server.version,
                  server.round_trip.count() > 0 ? milliseconds_text(round_trip_ms(server)) : "",
                  server.latency_ms ? milliseconds_text(*server.latency_ms) : "",
                  server.connections ? std::to_string(*server.connections) : "",
                  server.problem.empty() ? "serves" : server.problem});
    }
    return rows.text();
}

std::string line(const char* title, const std::string& text) {
    std::string start{title};
    start.resize(17, ' ');
    return start + support::visible(text) + "\n";
}

std::string promise_text_of(const examination& seen) {
    if (!seen.promised) return {};
    std::string text;
    for (const auto& each : texts_of(*seen.promised))
        text += (text.empty() ? "" : ", ") + std::string{each.name} + " " + std::string{each.value};
    return line("promises", text);
}

std::string lease_text(const examination& seen) {
    const auto asked = exact_text(seen.settings.session_timeout) + " asked for";
    const auto session =
        line("session timeout", seen.granted.count() > 0 ? asked + ", " + exact_text(seen.granted) +
                                                               " granted by " + seen.attached_to
                                                         : asked + "; there is no session");
    if (!is_zookeeper(seen.settings)) return session + promise_text_of(seen);
    const auto pace = pace_of(seen);
    const auto certain = certain_hold_of(seen);
    return session +
           line("relay bound", "the leader learns of a follower's answer within " +
                                   exact_text(pace.relay_bound()) + " (tickTime " +
                                   exact_text(pace.tick) + ", syncLimit " +
                                   std::to_string(pace.sync_limit) + ")") +
           line("longest lease", exact_text(certain.through_follower) + " through a follower, " +
                                     exact_text(certain.through_leader) +
                                     " through the leader or a standalone server");
}

std::string path_text(const examination& seen) {
    if (!seen.trial) return {};
    const auto& trial = *seen.trial;
    std::string text = trial.refused.empty()
                           ? "this client can list, create and remove znodes"
                           : "an ACL forbids some of the operations that locks need";
    if (trial.folder != seen.path) text += " in " + trial.folder + " (the path does not exist yet)";
    if (trial.clock)
        text += trial.containers ? "; the servers have container znodes"
                                 : "; the servers have no container znodes";
    return line("path", seen.path + ": " + text);
}

std::string empty_folders_text(const examination& seen) {
    const auto folders = empty_folders(seen);
    if (folders.empty()) return {};
    const auto others = folders.size() - 1;
    auto text = folders.front();
    if (others > 0) text += " and " + std::to_string(others) + (others == 1 ? " other" : " others");
    const bool stay = seen.trial && !seen.trial->containers;
    return line(
        "empty folders",
        text + (stay ? ": folders of free locks; these servers do not remove such folders"
                     : ": folders of free locks; the servers remove such folders (containers) "
                       "within minutes"));
}

std::string clock_text(const examination& seen) {
    std::string text;
    if (seen.trial && seen.trial->clock) {
        const auto& clock = *seen.trial->clock;
        text += std::string{is_zookeeper(seen.settings) ? "the servers' leader"
                                                        : "the servers' clock"} +
                " is " + std::to_string(std::abs(clock.ahead.count())) + " ms " +
                (clock.ahead.count() < 0 ? "behind" : "ahead of") +
                " this host, with an uncertainty of " + std::to_string(clock.uncertainty.count()) +
                " ms; ";
    }
    return line("clocks", text + "the doctor cannot measure the rates of the servers' clocks");
}

std::string findings_text(const findings& found) {
    std::string text;
    std::string code;
    std::size_t of_a_kind = 0;
    const auto close = [&] {
        if (of_a_kind > k_most_of_a_kind)
            text += "         ... and " + std::to_string(of_a_kind - k_most_of_a_kind) +
                    " more findings of this kind\n";
    };
    for (const auto& each : found) {
        if (each.code != code) {
            close();
            of_a_kind = 0;
            code = each.code;
        }
        if (++of_a_kind > k_most_of_a_kind) continue;
        std::string start{to_string(each.weight)};
        start.resize(9, ' ');
        text += start + support::visible(each.subject + ": " + each.text) + "\n         -> " +
                support::visible(each.advice) + "\n";
    }
    close();
    if (text.empty()) return "the doctor found nothing to fix\n";
    const bool only_notes = std::all_of(found.begin(), found.end(), [](const finding& each) {
        return each.weight == severity::note;
    });
    return only_notes ? text + "\nno problem was found\n" : text;
}

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json(nullptr);
}

json json_of(const server_health& server) {
    json result{{"name", server.name},
                {"address", server.address},
                {"reachable", server.reachable},
                {"serves", server.serves},
                {"problem", server.problem},
                {"role", to_string(server.role)},
                {"version", server.version},
                {"round_trip_ms", round_trip_ms(server)},
                {"latency_ms", or_null(server.latency_ms)},
                {"longest_latency_ms", or_null(server.longest_latency_ms)},
                {"connections", or_null(server.connections)},
                {"received", or_null(server.received)},
                {"outstanding", or_null(server.outstanding)},
                {"nodes", or_null(server.nodes)}};
    if (const auto& told = server.configuration)
        result["configuration"] = {{"tick_ms", told->tick.count()},
                                   {"init_limit", told->init_limit},
                                   {"sync_limit", told->sync_limit},
                                   {"min_session_timeout_ms", told->min_session_timeout.count()},
                                   {"max_session_timeout_ms", told->max_session_timeout.count()},
                                   {"max_connections", told->max_connections}};
    else
        result["configuration"] = nullptr;
    return result;
}

json json_of_file(const examination& seen) {
    if (!seen.file) return nullptr;
    return {{"path", seen.file->file},
            {"exists", seen.file->exists},
            {"refusals", seen.file->refusals},
            {"exposure", seen.file->exposure}};
}

json json_of_path(const examination& seen) {
    json result{{"path", seen.path},
                {"folder", nullptr},
                {"refused", json::array()},
                {"empty_folders", empty_folders(seen)}};
    if (!seen.trial) return result;
    result["folder"] = seen.trial->folder;
    for (const auto right : seen.trial->refused) result["refused"].push_back(to_string(right));
    result["containers"] = seen.trial->clock ? json(seen.trial->containers) : json(nullptr);
    return result;
}

json json_of_clocks(const examination& seen) {
    json result{{"leader_ahead_ms", nullptr}, {"uncertainty_ms", nullptr}};
    if (seen.trial && seen.trial->clock) {
        result["leader_ahead_ms"] = seen.trial->clock->ahead.count();
        result["uncertainty_ms"] = seen.trial->clock->uncertainty.count();
    }
    result["synchronised"] = seen.clock ? json(seen.clock->synchronised) : json(nullptr);
    result["rate"] = seen.clock ? json(seen.clock->rate) : json(nullptr);
    return result;
}

std::string guard_text(const examination& seen) {
    if (seen.guard.empty() && seen.no_guard.empty()) return {};
    return line("process guard", seen.guard.empty() ? "none" : seen.guard);
}

std::string modules_text(const examination& seen) {
    return seen.modules.empty() ? "" : line("back ends", back_ends_text(seen.modules));
}

json json_of_modules(const examination& seen) {
    auto result = json::array();
    for (const auto& module : seen.modules)
        result.push_back({{"name", module.name}, {"file", module.file}, {"fault", module.fault}});
    return result;
}

}  // namespace

std::string doctor_text(const examination& seen, const findings& found) {
    const auto servers = is_zookeeper(seen.settings) ? server_table(seen) + "\n" : std::string{};
    return servers + lease_text(seen) + path_text(seen) + empty_folders_text(seen) +
           clock_text(seen) + guard_text(seen) + modules_text(seen) + "\n" + findings_text(found);
}

std::string doctor_json(const examination& seen, const findings& found) {
    const auto pace = pace_of(seen);
    const auto certain = certain_hold_of(seen);
    json result{{"servers", json::array()}};
    for (const auto& server : seen.servers) result["servers"].push_back(json_of(server));
    result["session"] = {{"server", seen.attached_to},
                         {"timeout_asked_ms", seen.settings.session_timeout.count()},
                         {"timeout_granted_ms", seen.granted.count()}};
    result["lease"] = {{"tick_ms", pace.tick.count()},
                       {"sync_limit", pace.sync_limit},
                       {"relay_bound_ms", pace.relay_bound().count()},
                       {"through_follower_ms", certain.through_follower.count()},
                       {"through_leader_ms", certain.through_leader.count()}};
    result["promises"] = json::object();
    if (seen.promised)
        for (const auto& each : texts_of(*seen.promised))
            result["promises"][each.name] = each.value;
    result["file"] = json_of_file(seen);
    result["path"] = json_of_path(seen);
    result["clocks"] = json_of_clocks(seen);
    result["guard"] = seen.guard.empty() ? json(nullptr) : json(seen.guard);
    result["modules"] = json_of_modules(seen);
    result["findings"] = json::array();
    for (const auto& each : found)
        result["findings"].push_back({{"weight", to_string(each.weight)},
                                      {"code", each.code},
                                      {"subject", each.subject},
                                      {"text", each.text},
                                      {"advice", each.advice}});
    return admin::printed(result) + '\n';
}

}  // namespace turnstile::cli
