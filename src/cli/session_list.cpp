// SPDX-License-Identifier: Apache-2.0
#include "cli/session_list.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "cli/server_dump.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::cli {
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

}  // namespace turnstile::cli
