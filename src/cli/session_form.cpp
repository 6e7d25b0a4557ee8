// SPDX-License-Identifier: Apache-2.0
// Prints a list of sessions.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/reading/lock_json.hpp"
#include "cli/duration.hpp"
#include "cli/session_list.hpp"
#include "cli/table.hpp"
#include "support/hexadecimal.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

using json = nlohmann::ordered_json;

std::string count_text(const listed_session& session, bool (*counts)(const session_znode&)) {
    return std::to_string(std::count_if(session.znodes.begin(), session.znodes.end(), counts));
}

// Returns the session's relation to the znode: it holds a lock by the znode, waits for a lock by the znode, or neither.
const char* part_of(const session_znode& znode) {
    if (znode.holds) return "holds";
    return znode.contends ? "waits" : "other";
}

std::string znode_lines(const listed_session& session) {
    std::string text;
    for (const auto& znode : session.znodes)
        text += support::hexadecimal_number(session.id) + "  " + part_of(znode) + "  " +
                support::visible(znode.path) + "\n";
    return text;
}

}  // namespace

std::string session_text(const session_list& list, const std::string& folder, bool wide) {
    if (list.sessions.empty())
        return "no session has a znode below " + support::visible(folder) + "\n";
    table rows{{"SESSION", "HOST", "PID", "LABEL", "ADDRESS", "SERVER", "TIMEOUT", "HOLDS", "WAITS",
                "OTHER"}};
    for (const auto& session : list.sessions)
        rows.add(
            {support::hexadecimal_number(session.id), session.host, session.pid, session.label,
             session.address, session.server,
             session.timeout.count() > 0 ? exact_text(session.timeout) : "",
             count_text(session, [](const auto& znode) { return znode.holds; }),
             count_text(session, [](const auto& znode) { return znode.contends && !znode.holds; }),
             count_text(session, [](const auto& znode) { return !znode.contends; })});
    auto text = rows.text();
    if (wide) {
        text += "\n";
        for (const auto& session : list.sessions) text += znode_lines(session);
    }
    return text;
}

std::string session_json(const session_list& list) {
    json result{
        {"sessions", json::array()}, {"not_told", list.silent}, {"unreadable", list.unreadable}};
    for (const auto& session : list.sessions) {
        json znodes = json::array();
        for (const auto& znode : session.znodes)
            znodes.push_back({{"path", znode.path}, {"part", part_of(znode)}});
        result["sessions"].push_back({{"session", support::hexadecimal_number(session.id)},
                                      {"host", session.host},
                                      {"pid", session.pid},
                                      {"label", session.label},
                                      {"address", session.address},
                                      {"server", session.server},
                                      {"timeout_ms", session.timeout.count()},
                                      {"znodes", std::move(znodes)}});
    }
    return admin::printed(result) + '\n';
}

}  // namespace turnstile::cli
