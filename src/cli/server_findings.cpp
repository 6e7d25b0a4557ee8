// SPDX-License-Identifier: Apache-2.0
#include "cli/findings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "cli/duration.hpp"
#include "turnstile/tools/connect_string.hpp"

namespace turnstile::cli {
namespace {

// The bugs of ZooKeeper releases that violate an assumption of locks. docs/reference/limits.md lists them.
struct known_bugs {
    std::vector<std::string> issues;  // "ZOOKEEPER-4925"
    std::string mended_in;            // "3.8.5, or 3.9.4": the first releases that fix all of them
};

using release = std::array<int, 3>;

// A bug that affects the releases from `first` up to, but not including, `mended`.
struct known_bug {
    const char* issue;
    release first;
    release mended;
};

constexpr release k_oldest{0, 0, 0};
// Source: the code of the releases (Learner.syncWithLeader). Release 3.8.5 fixed the first four bugs. Release 3.9.0
// still has them, because it was published earlier.
constexpr std::array k_bugs{
    known_bug{"ZOOKEEPER-4643", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4643", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4646", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4646", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4685", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4685", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4785", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4785", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4925", {3, 9, 3}, {3, 9, 4}},
};

std::optional<release> release_of(std::string_view version) {
    release numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (std::size_t i = 0; i != numbers.size(); ++i) {
        const auto [rest, failure] = std::from_chars(at, end, numbers[i]);
        const bool last = i + 1 == numbers.size();
        if (failure != std::errc{} || (last ? rest != end : rest == end || *rest != '.'))
            return std::nullopt;
        at = last ? rest : rest + 1;
    }
    return numbers;
}

// Returns the bugs by which an ensemble of this release loses acknowledged writes, or loses its leader without need.
// Returns none if the version is not a release number. Omits bugs that all releases have, because no upgrade helps.
known_bugs bugs_of_release(std::string_view version) {
    known_bugs found;
    const auto running = release_of(version);
    if (!running) return found;
    for (const auto& bug : k_bugs)
        if (*running >= bug.first && *running < bug.mended) found.issues.emplace_back(bug.issue);
    if (!found.issues.empty())
        found.mended_in = *running < release{3, 9, 0} ? "3.8.5, or 3.9.4" : "3.9.4";
    return found;
}

// doctor reports a server with more requests than this in its queue. A healthy server has only a few.
constexpr std::int64_t k_many_outstanding = 1'000;
// With a longer round trip than this fraction of the session timeout, one delayed message may end the session.
constexpr int k_round_trips_per_timeout = 30;

// True for a release before ZooKeeper 3.5, which has no container znodes.
bool is_old(std::string_view version) {
    return version.size() > 2 && version.starts_with("3.") && version[2] < '5' &&
           (version.size() == 3 || version[3] == '.');
}

std::size_t count_of(const std::vector<server_health>& servers, server_role role) {
    return static_cast<std::size_t>(std::count_if(
        servers.begin(), servers.end(), [role](const auto& each) { return each.role == role; }));
}

finding trouble_of(const server_health& server, const examination& seen) {
    const auto weight = server.serves ? severity::note : severity::warning;
    if (server.reachable)
        return {weight, "server_does_not_serve", server.name, server.problem,
                "look into the server's log; the ensemble needs a majority of its servers, and the "
                "server needs srvr in 4lw.commands.whitelist"};
    const bool alone = seen.servers.size() == 1;
    return {weight, "server_unreachable", server.name, server.problem,
            std::string{"start the server, or open its port to this machine"} +
                (alone ? "" : "; clients use the other servers meanwhile")};
}

void look_at_one(const server_health& server, const examination& seen, findings& found) {
    if (!server.problem.empty()) return found.push_back(trouble_of(server, seen));
    if (server.round_trip > seen.settings.session_timeout / k_round_trips_per_timeout)
        found.push_back({severity::warning, "server_slow", server.name,
                         "answers after " + exact_text(std::chrono::ceil<std::chrono::milliseconds>(
                                                server.round_trip)),
                         "look at the server's load, its log, and the network between this host "
                         "and the server; or give a longer --session-timeout"});
    if (server.outstanding.value_or(0) > k_many_outstanding)
        found.push_back({severity::warning, "server_overloaded", server.name,
                         std::to_string(*server.outstanding) + " requests wait",
                         "find the clients that send many requests (cons lists the clients), or "
                         "give the server a faster disk for its log"});
    if (is_old(server.version))
        found.push_back({severity::warning, "server_old", server.name,
                         "version " + server.version + " has no container znodes",
                         "upgrade the server; until then, delete the folders of locks that are not "
                         "used any more"});
}

// Returns the least session timeout with which a lease that is renewed through a follower is long enough.
std::string ample_timeout_text(const examination& seen) {
    return exact_text(std::chrono::milliseconds{pace_of(seen).relay_bound() * 5 / 2});
}

void look_at_roles(const examination& seen, findings& found) {
    const auto& servers = seen.servers;
    const auto leaders = count_of(servers, server_role::leader);
    const auto alone = count_of(servers, server_role::standalone);
    if (leaders > 1 || alone + leaders > 1)
        found.push_back({severity::problem, "several_ensembles", seen.settings.servers,
                         "these servers are not one ensemble: " + std::to_string(leaders + alone) +
                             " of them are leaders or standalone servers",
                         "name the servers of one ensemble only: a lock on one ensemble does not "
                         "exclude clients on another ensemble"});
    const bool followers = count_of(servers, server_role::follower) > 0;
    if (leaders == 0 && followers)
        found.push_back({severity::note, "leader_not_listed", seen.settings.servers,
                         "none of these servers leads",
                         "name all servers of the ensemble. If its leader accepts no clients "
                         "(leaderServes=no), give a --session-timeout of " +
                             ample_timeout_text(seen) + " or more"});
}

void look_at_versions(const examination& seen, findings& found) {
    std::set<std::string> versions;
    for (const auto& server : seen.servers)
        if (!server.version.empty()) versions.insert(server.version);
    if (versions.size() < 2) return;
    std::string text;
    for (const auto& version : versions) text += (text.empty() ? "" : ", ") + version;
    found.push_back({severity::warning, "versions_differ", seen.settings.servers,
                     "the servers run several versions: " + text,
                     "finish the upgrade, so that all servers run the same version"});
}

bool is_of_an_ensemble(server_role role) {
    return role == server_role::leader || role == server_role::follower ||
           role == server_role::observer;
}

// Because of the bugs in findings.cpp, an ensemble can lose writes when a server joins its leader. So a standalone
// server is not affected.
void look_at_known_bugs(const examination& seen, findings& found) {
    std::map<std::string, std::string> names_by_version;
    for (const auto& server : seen.servers) {
        if (!is_of_an_ensemble(server.role)) continue;
        auto& names = names_by_version[server.version];
        names += (names.empty() ? "" : ", ") + server.name;
    }
    for (const auto& [version, names] : names_by_version) {
        const auto bugs = bugs_of_release(version);
        if (bugs.issues.empty()) continue;
        std::string issues;
        for (const auto& issue : bugs.issues) issues += (issues.empty() ? "" : ", ") + issue;
        found.push_back(
            {severity::warning, "known_bugs", names,
             "version " + version +
                 " may lose acknowledged writes, and so a lock, when servers join their leader: " +
                 issues,
             "upgrade to " + bugs.mended_in +
                 " or later; until then, only fencing tokens protect the data"});
    }
}

void look_at_configurations(const examination& seen, findings& found) {
    std::set<std::pair<std::int64_t, int>> paces;
    for (const auto& server : seen.servers)
        if (server.configuration)
            paces.insert({server.configuration->tick.count(), server.configuration->sync_limit});
    if (paces.size() > 1)
        found.push_back(
            {severity::warning, "configurations_differ", seen.settings.servers,
             "the servers have different tickTime or syncLimit",
             "give all of them the same zoo.cfg; until then pass the largest values with "
             "--tick and --sync-limit"});
    const bool serves = std::any_of(seen.servers.begin(), seen.servers.end(),
                                    [](const auto& each) { return each.serves; });
    if (paces.empty() && serves && !says_pace(seen.settings))
        found.push_back(
            {severity::note, "configuration_not_told", seen.settings.servers,
             "no server reports its tickTime and syncLimit, so the doctor assumes a tickTime of 2 "
             "s and a syncLimit of 5",
             "if the servers' values are larger, give them with --tick and --sync-limit, or add "
             "conf to 4lw.commands.whitelist in the servers' zoo.cfg"});
}

void look_at_pace(const examination& seen, findings& found) {
    const auto told = told_pace(seen.servers);
    if (!told) return;
    const bool tick = seen.settings.tick.count() > 0 && seen.settings.tick < told->tick;
    const bool limit = seen.settings.sync_limit > 0 && seen.settings.sync_limit < told->sync_limit;
    if (!tick && !limit) return;
    found.push_back({severity::problem, "pace_too_short", tick ? "--tick" : "--sync-limit",
                     "the servers' tickTime is " + exact_text(told->tick) + ", their syncLimit " +
                         std::to_string(told->sync_limit) +
                         ": leases would be longer than the servers allow",
                     "leave --tick and --sync-limit out, or give the servers' values"});
}

void look_at_timeout(const examination& seen, findings& found) {
    const auto asked = seen.settings.session_timeout;
    if (seen.granted.count() == 0 || seen.granted == asked) return;
    found.push_back({severity::warning, "session_timeout_not_granted", "--session-timeout",
                     "the doctor asked for " + exact_text(asked) + ", and the servers granted " +
                         exact_text(seen.granted),
                     "change minSessionTimeout and maxSessionTimeout in the servers' zoo.cfg (2 "
                     "and 20 ticks unless set), or give a timeout that the servers grant"});
}

// Recognizes the operating system's messages about failed connections, which the back ends repeat.
bool is_out_of_reach(const error& failure) {
    constexpr std::array k_words{"onnection refused",
                                 "(111)",
                                 "no answer",
                                 "timed out",
                                 "o route to host",
                                 "etwork is unreachable",
                                 "no connection in time"};
    const auto said = failure.message();
    return std::any_of(k_words.begin(), k_words.end(), [&said](std::string_view word) {
        return said.find(word) != std::string::npos;
    });
}

// Returns advice for a user whose client gets no session. For most errors returns only general advice.
std::string advice_for(const error& failure, const examination& seen) {
    switch (failure.code()) {
        case errc::auth_failed:
            return "check the user and the password in the connect string (TURNSTILE_SERVERS)";
        case errc::no_chroot:
            return "create the chroot with turnstile mkdir /, or leave it out of the connect "
                   "string";
        case errc::bad_connect_string: return "correct the connect string";
        case errc::server_too_old: return "upgrade the server";
        case errc::unresolvable: return "check the names, and the resolver of this machine";
        case errc::quota_exceeded: return "give the server more memory (maxmemory), or remove keys";
        case errc::not_connected: break;
        default: return "fix the cause, and run the doctor again";
    }
    if (is_zookeeper(seen.settings)) return "see the report of each server above";
    return is_out_of_reach(failure) ? "start the server, or open its port to this machine"
                                    : "fix the cause, and run the doctor again";
}

void look_at_session(const examination& seen, findings& found) {
    if (!seen.no_session) return;
    found.push_back({severity::problem,
                     seen.no_session->code() == errc::no_chroot ? "no_chroot" : "no_server",
                     masked(seen.settings.servers), seen.no_session->message(),
                     advice_for(*seen.no_session, seen)});
}

// When a server starts, it derives its session ids from the machine's uptime in milliseconds. The five bytes after the
// server's number contain this uptime (ZooKeeper 3.8.0, SessionTrackerImpl.initializeNextSessionId).
void look_at_session_ids(const examination& seen, findings& found) {
    constexpr std::chrono::milliseconds k_soon = std::chrono::minutes{1};
    constexpr std::uint64_t k_five_bytes = 0xff'ffff'ffff;
    const auto bits = static_cast<std::uint64_t>(seen.session) >> 16U & k_five_bytes;
    const std::chrono::milliseconds after{static_cast<std::int64_t>(bits)};
    if (seen.session == 0 || after > k_soon) return;
    found.push_back({severity::note, "session_ids_repeat", seen.attached_to,
                     "this server started " + exact_text(after) +
                         " after its machine. If it starts at the same millisecond after another "
                         "boot, it gives new sessions the ids of sessions that are still alive",
                     "where machines always start in the same way (microVMs, snapshots), start "
                     "each server a random time after its machine"});
}

}  // namespace

findings server_findings(const examination& seen) {
    findings found;
    look_at_session(seen, found);
    if (!is_zookeeper(seen.settings)) return found;
    for (const auto& server : seen.servers) look_at_one(server, seen, found);
    look_at_roles(seen, found);
    look_at_versions(seen, found);
    look_at_known_bugs(seen, found);
    look_at_configurations(seen, found);
    look_at_session_ids(seen, found);
    return found;
}

findings lease_findings(const examination& seen) {
    if (!is_zookeeper(seen.settings)) return {};
    findings found;
    look_at_pace(seen, found);
    look_at_timeout(seen, found);
    const auto pace = pace_of(seen);
    const auto timeout = seen.granted.count() > 0 ? seen.granted : seen.settings.session_timeout;
    const bool standalone = count_of(seen.servers, server_role::standalone) > 0;
    if (standalone || timeout * 2 >= pace.relay_bound() * 5) return found;
    const bool leads = count_of(seen.servers, server_role::leader) > 0;
    const auto certain = certain_hold_of(seen).through_follower;
    found.push_back({leads ? severity::note : severity::problem, "lease_short", "--session-timeout",
                     "with a session timeout of " + exact_text(timeout) +
                         ", a lease through a follower lasts " + exact_text(certain) +
                         " at most, because the leader may learn of the follower's answers " +
                         exact_text(pace.relay_bound()) + " late; " +
                         (leads ? "so sessions go to the leader" : "the doctor found no leader"),
                     "give a --session-timeout of " + ample_timeout_text(seen) +
                         " or more, or give the servers a shorter tickTime"});
    return found;
}

}  // namespace turnstile::cli
