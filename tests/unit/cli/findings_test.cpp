// SPDX-License-Identifier: Apache-2.0
// Tests the findings that `turnstile doctor` derives from an examination of servers and locks.
#include <gtest/gtest.h>

#include "cli/doctor_report.hpp"
#include "cli/findings.hpp"
#include "cli/module_list.hpp"
#include "turnstile/tools/path_trial.hpp"

namespace turnstile::cli {
namespace {

using namespace std::chrono_literals;
using codes = std::vector<std::string>;

server_health server(const char* name, server_role role) {
    server_health health{.name = name, .address = name, .reachable = true, .serves = true};
    health.role = role;
    health.version = "3.9.4";
    health.round_trip = 1ms;
    health.configuration = server_configuration{.tick = 2s, .sync_limit = 5};
    return health;
}

// Returns an examination of three healthy servers and of a session at one of them.
examination healthy() {
    examination seen{.settings = {}, .path = "/locks", .attached_to = "a:1", .granted = 30s};
    seen.settings.servers = "a:1,b:1,c:1";
    seen.servers = {server("a:1", server_role::leader), server("b:1", server_role::follower),
                    server("c:1", server_role::follower)};
    seen.trial = path_trial{.folder = "/locks"};
    seen.trial->clock = clock_difference{.ahead = 2ms, .uncertainty = 3ms};
    seen.odd = odd_survey{};
    seen.clock = host_clock{.synchronised = true, .rate = 0.00001};
    return seen;
}

codes codes_of(const findings& found) {
    codes all;
    for (const auto& each : found) all.push_back(each.code);
    return all;
}

codes found_in(const examination& seen) {
    return codes_of(all_findings(seen));
}

TEST(findings, of_a_file_of_sqlite) {
    auto seen = healthy();
    EXPECT_NE(doctor_json(seen, {}).find("\"file\":null"), std::string::npos);
    seen.file = file_health{.file = "/var/locks.db", .exists = true};
    EXPECT_EQ(found_in(seen), codes{});
    seen.file->exposure = "the file's rights are 0644";
    seen.file->refusals = {"has 2 names", "is a mount point"};
    EXPECT_EQ(found_in(seen), (codes{"file_refused", "file_refused", "file_exposed"}));
    EXPECT_EQ(all_findings(seen)[1].subject, "/var/locks.db");
    EXPECT_NE(doctor_json(seen, {}).find("\"refusals\":[\"has 2 names\",\"is a mount point\"]"),
              std::string::npos)
        << doctor_json(seen, {});
}

TEST(findings, of_the_guard_of_commands) {
    auto seen = healthy();
    seen.guard = "children";
    EXPECT_NE(doctor_text(seen, {}).find("process guard    children\n"), std::string::npos);
    EXPECT_NE(doctor_json(seen, {}).find("\"guard\":\"children\""), std::string::npos)
        << doctor_json(seen, {});
    seen.guard = "";
    seen.no_guard = "there is no /proc";
    const auto found = all_findings(seen);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "no_guard");
    EXPECT_EQ(found[0].weight, severity::note);
    EXPECT_NE(
        doctor_text(seen, found).find("cannot start a command on this host: there is no /proc"),
        std::string::npos);
    EXPECT_NE(doctor_json(seen, found).find("\"guard\":null"), std::string::npos);
}

TEST(findings, of_modules) {
    auto seen = healthy();
    EXPECT_EQ(doctor_text(seen, {}).find("back ends"), std::string::npos);
    seen.modules = {{"redis", "Redis", "/lib/r.so", "", true},
                    {"sqlite", "SQLite", "/lib/s.so", "SQLite: it is not there", false}};
    EXPECT_EQ(found_in(seen), codes{});
    EXPECT_NE(doctor_text(seen, {}).find("back ends        zookeeper, local, redis; not sqlite\n"),
              std::string::npos)
        << doctor_text(seen, {});
    EXPECT_NE(doctor_json(seen, {}).find("{\"name\":\"redis\",\"file\":\"/lib/r.so\",\"fault\":"
                                         "\"\"}"),
              std::string::npos)
        << doctor_json(seen, {});
    EXPECT_EQ(version_text(seen.modules).find("not there"), std::string::npos);

    seen.modules[1] = {"sqlite", "SQLite", "/lib/s.so", "SQLite: of version 0.0.7", true};
    const auto found = all_findings(seen);
    ASSERT_EQ(codes_of(found), codes{"module_unusable"});
    EXPECT_EQ(found[0].weight, severity::warning);
    EXPECT_EQ(found[0].subject, "/lib/s.so");
    EXPECT_NE(version_text(seen.modules).find("\nSQLite: of version 0.0.7"), std::string::npos);
}

TEST(doctor, has_nothing_to_say_of_what_is_well) {
    EXPECT_EQ(found_in(healthy()), codes{});
    const auto text = doctor_text(healthy(), {});
    EXPECT_NE(text.find("the doctor found nothing to fix"), std::string::npos) << text;
    const findings notes{{severity::note, "a", "a", "a", "a"}};
    EXPECT_TRUE(doctor_text(healthy(), notes).ends_with("\nno problem was found\n"));
    const findings warned{{severity::warning, "a", "a", "a", "a"}};
    EXPECT_EQ(doctor_text(healthy(), warned).find("no problem was found"), std::string::npos);
    EXPECT_NE(text.find("12 s (tickTime 2 s, syncLimit 5)"), std::string::npos) << text;
    EXPECT_NE(text.find("17.97 s through a follower, 29.97 s"), std::string::npos) << text;
}

TEST(doctor, names_each_servers_trouble) {
    auto seen = healthy();
    seen.servers[0].round_trip = 1'500ms;
    seen.servers[1].outstanding = 5'000;
    seen.servers[2].version = "3.4.14";
    EXPECT_EQ(found_in(seen), (codes{"known_bugs", "server_old", "server_overloaded", "server_slow",
                                     "versions_differ"}));
    seen = healthy();
    seen.servers[2].version = "3.10.1";
    EXPECT_EQ(found_in(seen), codes{"versions_differ"});
    seen = healthy();
    seen.servers[1].problem = "cannot be reached: Connection refused";
    seen.servers[1].reachable = seen.servers[1].serves = false;
    seen.servers[1].role = server_role::unknown;
    EXPECT_EQ(found_in(seen), codes{"server_unreachable"});
}

// Returns the warning for servers of this version; empty if there is none.
finding known_bugs_of(const char* version) {
    auto seen = healthy();
    for (auto& server : seen.servers) server.version = version;
    const auto found = server_findings(seen);
    EXPECT_LE(found.size(), 1U) << version;
    return found.empty() ? finding{} : found.front();
}

TEST(doctor, names_the_releases_that_lose_acknowledged_writes) {
    for (const auto* version : {"3.5.10", "3.7.2", "3.8.0", "3.8.4", "3.9.0", "3.9.1"}) {
        const auto found = known_bugs_of(version);
        EXPECT_EQ(found.code, "known_bugs") << version;
        EXPECT_EQ(found.weight, severity::warning);
        EXPECT_EQ(found.subject, "a:1, b:1, c:1");
        for (const auto* issue : {version, "-4643", "-4646", "-4685", "-4785"})
            EXPECT_NE(found.text.find(issue), std::string::npos) << issue << " in " << found.text;
        EXPECT_EQ(found.text.find("4925"), std::string::npos) << found.text;
    }
    const auto only = known_bugs_of("3.9.3");
    EXPECT_NE(only.text.find("ZOOKEEPER-4925"), std::string::npos) << only.text;
    EXPECT_EQ(only.text.find("4785"), std::string::npos) << only.text;
    EXPECT_NE(only.advice.find("3.9.4"), std::string::npos) << only.advice;
    for (const auto* version : {"3.8.5", "3.8.6", "3.9.2", "3.9.4", "3.10.0", "4.0", "3.8.x", ""})
        EXPECT_EQ(known_bugs_of(version).code, "") << version;
}

TEST(doctor, knows_that_a_server_alone_joins_no_leader) {
    auto seen = healthy();
    seen.servers = {server("a:1", server_role::standalone)};
    seen.servers.front().version = "3.8.0";
    EXPECT_EQ(codes_of(server_findings(seen)), codes{});
}

TEST(doctor, offers_other_servers_where_there_are_some) {
    auto seen = healthy();
    seen.servers[1].problem = "cannot be reached: Connection refused";
    seen.servers[1].reachable = seen.servers[1].serves = false;
    EXPECT_NE(server_findings(seen).front().advice.find("other servers"), std::string::npos);
    seen.servers = {seen.servers[1]};
    EXPECT_EQ(server_findings(seen).front().advice,
              "start the server, or open its port to this machine");
}

// Returns the first finding for servers that refuse a session with the error `why`.
finding found_without_session(const std::string& servers, const error& why) {
    auto seen = healthy();
    seen.settings.servers = servers;
    seen.granted = 0s;
    seen.no_session = why;
    if (!is_zookeeper(seen.settings)) seen.servers.clear();
    return server_findings(seen).front();
}

TEST(doctor, has_advice_that_fits_why_there_is_no_session) {
    const auto advice = [](const char* servers, const error& why) {
        return found_without_session(servers, why).advice;
    };
    const error away{errc::not_connected, "redis://a (Connection refused)"};
    EXPECT_NE(advice("redis://a", away).find("open its port"), std::string::npos);
    EXPECT_EQ(advice("redis://a", {errc::not_connected, "redis://a (MISCONF Redis is ...)"}),
              "fix the cause, and run the doctor again");
    EXPECT_NE(advice("redis://a", {errc::quota_exceeded}).find("maxmemory"), std::string::npos);
    EXPECT_EQ(advice("sqlite:/f", {errc::not_connected, "/f: is no SQLite file"}),
              "fix the cause, and run the doctor again");
    EXPECT_NE(advice("redis://a", {errc::auth_failed}).find("the password"), std::string::npos);
    EXPECT_EQ(advice("redis://a", {errc::server_too_old}), "upgrade the server");
    for (const char* servers : {"a:1,b:1,c:1/shop", "redis://a/0/shop"}) {
        const auto found = found_without_session(servers, {errc::no_chroot, servers});
        EXPECT_EQ(found.code, "no_chroot") << servers;
        EXPECT_EQ(found.weight, severity::problem);
        EXPECT_EQ(
            found.advice,
            "create the chroot with turnstile mkdir /, or leave it out of the connect string");
    }
}

TEST(doctor, knows_one_ensemble_from_several) {
    auto seen = healthy();
    seen.servers[1].role = server_role::leader;
    EXPECT_EQ(found_in(seen), codes{"several_ensembles"});
    seen.servers = {server("a:1", server_role::standalone), server("b:1", server_role::standalone)};
    EXPECT_EQ(found_in(seen), codes{"several_ensembles"});
    seen = healthy();
    seen.servers.erase(seen.servers.begin());
    EXPECT_EQ(found_in(seen), codes{"leader_not_listed"});
}

TEST(doctor, holds_settings_against_what_servers_tell) {
    auto seen = healthy();
    seen.settings.sync_limit = 4;
    EXPECT_EQ(found_in(seen), codes{"pace_too_short"});
    seen.settings.sync_limit = 6;
    EXPECT_EQ(found_in(seen), codes{"lease_short"}) << "longer than theirs is safe, and costs";
    seen = healthy();
    seen.servers[2].configuration->tick = 3s;
    EXPECT_EQ(codes_of(server_findings(seen)), codes{"configurations_differ"});
    seen = healthy();
    for (auto& each : seen.servers) each.configuration.reset();
    EXPECT_EQ(found_in(seen), codes{"configuration_not_told"});
    seen = healthy();
    seen.granted = 40s;
    EXPECT_EQ(found_in(seen), codes{"session_timeout_not_granted"});
}

TEST(doctor, says_whose_session_ids_may_come_again) {
    auto seen = healthy();
    seen.session =
        // The id of the eighth session of server 1. The server started 3,000 ms after its machine.
        0x0100'0000'0bb8'0007;
    EXPECT_EQ(found_in(seen), codes{"session_ids_repeat"});
    EXPECT_EQ(all_findings(seen).front().text.find("this server started 3 s after its machine"), 0U)
        << all_findings(seen).front().text;
    seen.session = 0x0100'0523'5690'0002;  // the server started a day after its machine
    EXPECT_EQ(found_in(seen), codes{});
}

TEST(doctor, says_what_a_short_session_means) {
    auto seen = healthy();
    seen.settings.session_timeout = seen.granted = 10s;
    auto found = lease_findings(seen);
    EXPECT_EQ(codes_of(found), codes{"lease_short"});
    EXPECT_EQ(found.front().weight, severity::note) << "sessions go to the leader";
    seen.servers.erase(seen.servers.begin());
    found = lease_findings(seen);
    EXPECT_EQ(found.front().weight, severity::problem);
    seen.servers = {server("a:1", server_role::standalone)};
    EXPECT_TRUE(lease_findings(seen).empty());
}

TEST(doctor, looks_at_clocks) {
    auto seen = healthy();
    seen.trial->clock = clock_difference{.ahead = -5s, .uncertainty = 10ms};
    EXPECT_EQ(codes_of(clock_findings(seen)), codes{"clocks_differ"});
    seen.trial->clock->uncertainty = 4'500ms;
    EXPECT_EQ(codes_of(clock_findings(seen)), codes{});
    seen.clock = host_clock{.synchronised = false, .rate = -0.08};
    const auto found = clock_findings(seen);
    EXPECT_EQ(codes_of(found), (codes{"clock_not_synchronised", "clock_rate"}));
    EXPECT_EQ(found[1].weight, severity::problem);
}

// Only ZooKeeper servers have a leader. So for other servers, the finding about clocks must not mention a leader's
// clock.
TEST(doctor, names_the_clock_of_the_servers_that_there_are) {
    auto seen = healthy();
    seen.trial->clock = clock_difference{.ahead = -5s, .uncertainty = 10ms};
    EXPECT_NE(doctor_text(seen, clock_findings(seen)).find("the servers' leader"),
              std::string::npos);
    seen.settings.servers = "sqlite:/tmp/locks.db";
    seen.servers.clear();
    const auto text = doctor_text(seen, clock_findings(seen));
    EXPECT_EQ(text.find("leader"), std::string::npos) << text;
    EXPECT_NE(text.find("the servers' clock is 5000 ms behind this host"), std::string::npos)
        << text;
}

// Each release leaves an empty folder, so empty folders are counted but are no finding.
TEST(doctor, has_no_complaint_of_an_empty_folder) {
    auto seen = healthy();
    EXPECT_EQ(doctor_text(seen, {}).find("empty folders"), std::string::npos);
    // The lock that `turnstile doctor` takes as a test was in "/locks".
    for (const char* folder : {"/locks", "/locks/a", "/locks/b"})
        seen.odd->found.push_back({oddity::empty_folder, folder});
    const auto found = all_findings(seen);
    EXPECT_EQ(codes_of(found), codes{});
    const auto text = doctor_text(seen, found);
    EXPECT_NE(text.find("\nempty folders    /locks/a and 1 other: folders of free locks; "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("the doctor found nothing to fix"), std::string::npos) << text;
    const auto json = doctor_json(seen, found);
    EXPECT_NE(json.find(R"("empty_folders":["/locks/a","/locks/b"])"), std::string::npos) << json;
    seen.trial->containers = false;
    EXPECT_EQ(found_in(seen), codes{"no_containers"});
    EXPECT_NE(doctor_text(seen, {}).find("these servers do not remove such folders"),
              std::string::npos);
}

TEST(doctor, tells_of_kinds_that_share_a_path) {
    auto seen = healthy();
    seen.locks = {{"/locks/a", lock_kind::mutex, 1, {}, {}},
                  {"/locks/b", lock_kind::mutex, 2, {}, {}},
                  {"/locks/b", lock_kind::shared_mutex, 1, {}, {}},
                  {"/locks/c", lock_kind::shared_mutex, 1, {}, {}}};
    const auto found = all_findings(seen);
    ASSERT_EQ(codes_of(found), codes{"kinds_mixed"});
    EXPECT_EQ(found.front().weight, severity::warning);
    EXPECT_EQ(found.front().subject, "/locks/b");
    EXPECT_NE(found.front().text.find("(mutex, shared_mutex)"), std::string::npos);
}

TEST(doctor, prints_some_of_many_and_nothing_that_a_terminal_acts_on) {
    auto seen = healthy();
    for (int i = 0; i != 15; ++i)
        seen.odd->found.push_back({oddity::foreign_child, "/locks/\x1b[2J" + std::to_string(i)});
    const auto found = all_findings(seen);
    const auto text = doctor_text(seen, found);
    EXPECT_NE(text.find("/locks/\\x1b[2J9: "), std::string::npos) << text;
    EXPECT_EQ(text.find("/locks/\\x1b[2J10: "), std::string::npos) << text;
    EXPECT_NE(text.find("... and 5 more findings of this kind"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(doctor_json(seen, found).find("2J14"), std::string::npos);
}

}  // namespace
}  // namespace turnstile::cli
