// SPDX-License-Identifier: Apache-2.0
#include "cli/session_list.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "admin/reading/lock_json.hpp"
#include "cli/duration.hpp"
#include "cli/text_layout.hpp"
#include "support/hexadecimal.hpp"
#include "support/visible.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::cli {
namespace {

std::string_view next_line(std::string_view& text) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

// Parses a session id such as "0x1000..." at the start of the text.
std::optional<std::int64_t> session_at(std::string_view text) {
    if (!text.starts_with("0x")) return std::nullopt;
    std::uint64_t id = 0;
    const auto read = std::from_chars(text.data() + 2, text.data() + text.size(), id, 16);
    if (read.ec != std::errc{}) return std::nullopt;
    return static_cast<std::int64_t>(id);
}

std::string_view after(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    return at == std::string_view::npos ? std::string_view{} : text.substr(at + label.size());
}

}  // namespace

// Parses lines such as " /10.0.0.7:48572[1](queued=0,...,sid=0x100000001,...,to=30000,...)".
std::map<std::int64_t, session_connection> parse_cons(std::string_view answer) {
    std::map<std::int64_t, session_connection> found;
    while (!answer.empty()) {
        const auto line = next_line(answer);
        const auto details = line.find('(');
        const auto bracket = line.substr(0, details).rfind('[');
        const auto session = session_at(after(line, "sid="));
        if (details == std::string_view::npos || bracket == std::string_view::npos || !session)
            continue;
        const auto begin = line.find('/') + 1;
        if (begin > bracket) continue;
        const auto timeout = after(line, ",to=");
        std::int32_t milliseconds = 0;  // the servers' type
        std::from_chars(timeout.data(), timeout.data() + timeout.size(), milliseconds);
        found[*session] = {std::string{line.substr(begin, bracket - begin)},
                           std::chrono::milliseconds{std::max(milliseconds, 0)}};
    }
    return found;
}

// Parses a line such as "0x100000001:" and the lines after it, which have a tab before each path.
std::map<std::int64_t, std::vector<std::string>> parse_dump(std::string_view answer) {
    std::map<std::int64_t, std::vector<std::string>> found;
    answer = after(answer, "Sessions with Ephemerals");
    std::optional<std::int64_t> session;
    while (!answer.empty()) {
        const auto line = next_line(answer);
        if (line.starts_with("0x")) {
            session = session_at(line);
        } else if (line.starts_with("\t/") && session) {
            found[*session].emplace_back(line.substr(1));
        } else {
            session.reset();
        }
    }
    return found;
}

namespace {

using sessions = std::map<std::int64_t, listed_session>;

bool is_below(std::string_view path, std::string_view folder) {
    return folder == "/" || path == folder ||
           (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

// Returns the path without the chroot; nothing for a znode outside the chroot.
std::optional<std::string> seen_by_client(const std::string& path, const std::string& chroot) {
    if (chroot.empty()) return path;
    if (!is_below(path, chroot)) return std::nullopt;
    return path == chroot ? "/" : path.substr(chroot.size());
}

void fill(std::string& into, const std::string& text) {
    if (into.empty()) into = text;
}

void add_contenders(const std::string& folder, const std::vector<contender>& queue, bool hold,
                    sessions& all) {
    for (const auto& each : queue) {
        if (each.session_id == 0) continue;
        auto& session = all[each.session_id];
        fill(session.host, each.metadata.host);
        fill(session.pid, each.metadata.pid);
        fill(session.label, each.metadata.label);
        session.znodes.push_back({child_path(folder, each.name), true, hold});
    }
}

void add_ephemerals(const session_sources& sources, sessions& all) {
    for (const auto& server : sources.ephemerals) {
        if (!server.allowed) continue;
        for (const auto& [id, paths] : parse_dump(server.text)) {
            for (const auto& path : paths) {
                const auto seen = seen_by_client(path, sources.chroot);
                if (!seen || !is_below(*seen, sources.prefix)) continue;
                if (path.starts_with(k_session_mark)) continue;
                auto& znodes = all[id].znodes;
                const bool known =
                    std::any_of(znodes.begin(), znodes.end(),
                                [&](const auto& folder) { return folder.path == *seen; });
                if (!known) znodes.push_back({*seen});
            }
        }
    }
}

void add_connections(const session_sources& sources, sessions& all) {
    for (const auto& server : sources.connections) {
        if (!server.allowed) continue;
        for (const auto& [id, connection] : parse_cons(server.text)) {
            const auto session = all.find(id);
            if (session == all.end()) continue;
            session->second.address = connection.address;
            session->second.server = server.name;
            session->second.timeout = connection.timeout;
        }
    }
}

void note_silence(const std::vector<server_answer>& answers, const char* word,
                  std::vector<std::string>& silent) {
    for (const auto& server : answers)
        if (!server.allowed)
            silent.push_back(server.name + ": " + word +
                             (server.problem.empty() ? "" : ": " + server.problem));
}

}  // namespace

session_list list_sessions(const session_sources& sources) {
    sessions all;
    for (const auto& lock : sources.survey.locks) {
        add_contenders(lock.path, lock.holders, true, all);
        add_contenders(lock.path, lock.waiters, false, all);
    }
    add_ephemerals(sources, all);
    add_connections(sources, all);
    session_list list;
    for (auto& [id, session] : all) {
        session.id = id;
        std::sort(session.znodes.begin(), session.znodes.end(),
                  [](const auto& a, const auto& b) { return a.path < b.path; });
        list.sessions.push_back(std::move(session));
    }
    std::stable_sort(list.sessions.begin(), list.sessions.end(), [](const auto& a, const auto& b) {
        return std::tie(a.host, a.pid) < std::tie(b.host, b.pid);
    });
    note_silence(sources.connections, "cons", list.silent);
    note_silence(sources.ephemerals, "dump", list.silent);
    list.unreadable = sources.survey.unreadable;
    return list;
}

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
