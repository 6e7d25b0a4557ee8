// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile doctor` on real servers: it names each problem, or reports that there is none.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

using nlohmann::json;

class cli_doctor : public cli {
protected:
    [[nodiscard]] words doctor(const words& options = {}) const {
        return words{TURNSTILE_PROGRAM, "doctor", "-o", "json"} + options + words{path};
    }
    // Runs `turnstile doctor`, which must exit with `code`. Returns its report.
    json said(int code, const words& command) const {
        std::filesystem::remove(log());
        EXPECT_EQ(code_of(command), code) << output();
        auto all = output();
        // The report is the first line. Without a session, an error from stderr follows it.
        all.resize(std::min(all.find('\n'), all.size()));
        return json::parse(all);
    }
    // Returns true if the servers' release has bugs that the doctor knows. 3.8.5 and 3.9.4 are the first releases of
    // their series without these bugs.
    [[nodiscard]] bool has_known_bugs() const {
        const auto version = said(0, doctor()).at("servers").at(0).at("version").get<std::string>();
        std::tuple<int, int, int> release;
        auto& [major, minor, patch] = release;
        EXPECT_EQ(std::sscanf(version.c_str(), "%d.%d.%d", &major, &minor, &patch), 3) << version;
        return release < (minor == 9 ? std::tuple{3, 9, 4} : std::tuple{3, 8, 5});
    }
    static words codes_of(const json& report) {
        words all;
        for (const auto& each : report.at("findings"))
            if (each.at("weight") != "note") all.push_back(each.at("code"));
        return all;
    }
    static const json& finding_of(const json& report, const std::string& code) {
        for (const auto& each : report.at("findings"))
            if (each.at("code") == code) return each;
        static const json none;
        ADD_FAILURE() << code << " is not in " << report;
        return none;
    }
    // Creates persistent znodes, by a commit under the lock /tests/cli_doctor_hold.
    void make(const words& znodes) {
        mutex lock{*observer, "/tests/cli_doctor_hold"};
        auto hold = lock.acquire({.timeout = limit()}).value();
        transaction writes;
        for (const auto& znode : znodes) writes.create(znode, "");
        const auto done = hold.commit(writes, {.timeout = limit()});
        ASSERT_TRUE(done) << done.error().message();
    }
    // Creates the lock's folder, by using the lock.
    void use(const std::string& where) {
        mutex lock{*observer, where};
        ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    }
};

TEST_F(cli_doctor, finds_nothing_and_leaves_nothing) {
    use(path + "/free");
    const auto znodes = server().counters(0).at("znode_count");
    const auto report = said(0, doctor());
    EXPECT_EQ(codes_of(report), words{}) << report;
    EXPECT_EQ(report.at("findings").dump().find(path), std::string::npos) << report;
    EXPECT_EQ(report.at("servers").at(0).at("role"), "standalone");
    EXPECT_EQ(report.at("servers").at(0).at("configuration").at("tick_ms"), 200);
    EXPECT_EQ(report.at("session").at("timeout_granted_ms"), 30'000);
    EXPECT_EQ(report.at("path").at("folder"), path);
    EXPECT_EQ(report.at("path").at("containers"), true);
    // The server and the doctor have the same wall clock, so the reported difference must be within the reported
    // uncertainty.
    EXPECT_LE(std::abs(report.at("clocks").at("leader_ahead_ms").get<int>()),
              report.at("clocks").at("uncertainty_ms").get<int>());
    EXPECT_LE(server().counters(0).at("znode_count"), znodes);
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "doctor", path}), 0);
    EXPECT_TRUE(printed("the servers have container znodes")) << output();
}

TEST_F(cli_doctor, tries_above_a_path_that_is_not_there) {
    const auto report = said(0, doctor());
    EXPECT_EQ(report.at("path").at("folder"), "/tests");
    EXPECT_EQ(read_node(*observer, path).error(), errc::no_node);
}

TEST_F(cli_doctor, znodes_that_do_not_belong) {
    use(path + "/a");
    make({path + "/a/_c_5b0b7a3e-1d9e-4f4a-8c3c-2f1f6a1d7d10-lock-0000000007", path + "/a/notes",
          path + "/left", path + "/left/x"});
    const auto report = said(1, doctor());
    EXPECT_EQ(codes_of(report), (words{"persistent_contender", "foreign_child"})) << report;
    EXPECT_EQ(finding_of(report, "foreign_child").at("subject"), path + "/a/notes");
    const auto advice = finding_of(report, "persistent_contender").at("advice").get<std::string>();
    EXPECT_NE(advice.find("take --now --znode _c_5b0b7a3e"), std::string::npos) << advice;
}

TEST_F(cli_doctor, folders_that_were_left) {
    make({path, path + "/left", path + "/left/x", path + "/new"});
    mutex lock{*observer, "/tests/cli_doctor_hold"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    ASSERT_TRUE(hold.commit(transaction{}.remove(path + "/left/x"), {.timeout = limit()}));
    const auto report = said(0, doctor());
    EXPECT_EQ(report.at("path").at("empty_folders"), json::array({path + "/left"}));
}

TEST_F(cli_doctor, kinds_of_locks_that_share_a_path) {
    mutex first{*observer, path};
    shared_mutex second{*observer, path};
    const auto alone_there = first.acquire({.timeout = limit()}).value();
    EXPECT_EQ(codes_of(said(0, doctor())), words{});
    const auto beside_it = second.acquire({.timeout = limit()}).value();
    const auto report = said(1, doctor());
    EXPECT_EQ(codes_of(report), words{"kinds_mixed"}) << report;
    EXPECT_EQ(finding_of(report, "kinds_mixed").at("subject"), path);
}

TEST_F(cli_doctor, settings_that_servers_do_not_warrant) {
    EXPECT_EQ(codes_of(said(1, doctor({"--tick", "100ms"}))), words{"pace_too_short"});
    const auto report = said(1, doctor({"--session-timeout", "5m"}));
    EXPECT_EQ(codes_of(report), words{"session_timeout_not_granted"});
    EXPECT_EQ(report.at("session").at("timeout_granted_ms"), 60'000);
}

TEST_F(cli_doctor, servers_that_are_down_or_are_not_one_ensemble) {
    const testing::ensemble other;
    other.wait_until_serving();
    const auto here = server().connect_string();
    const auto split = said(1, doctor({"--servers", here + "," + other.connect_string()}));
    EXPECT_EQ(codes_of(split).front(), "several_ensembles");
    const auto partly = said(1, doctor({"--servers", here + ",127.0.0.1:1"}));
    EXPECT_EQ(codes_of(partly), words{"server_unreachable"});
    const auto down = said(69, doctor({"--connect-timeout", "200ms", "--servers", "127.0.0.1:1"}));
    EXPECT_EQ(codes_of(down), (words{"no_server", "server_unreachable"}));
    EXPECT_TRUE(printed("turnstile: ")) << output();
}

TEST_F(cli_doctor, a_chroot_that_is_not_there) {
    const auto inside = server().connect_string() + "/not_there";
    EXPECT_EQ(codes_of(said(69, doctor({"--servers", inside}))), words{"no_chroot"});
}

TEST_F(cli_doctor, an_ensemble_that_loses_its_servers) {
    testing::ensemble three{{.count = 3}};
    three.wait_until_serving();
    const auto all = three.connect_string();
    const words bugs(has_known_bugs() ? 1 : 0, "known_bugs");
    const auto with_bugs = [&bugs](words others, std::size_t at) {
        others.insert(others.begin() + static_cast<std::ptrdiff_t>(at), bugs.begin(), bugs.end());
        return others;
    };
    EXPECT_EQ(codes_of(said(bugs.empty() ? 0 : 1, doctor({"--servers", all}))), bugs);
    // The doctor knows only a follower's address, so it finds no leader. The session timeout is too short for a lease
    // through a follower.
    const auto follower = three.follower().value();
    const auto apart =
        said(1, doctor({"--servers", three.connect_string(follower), "--session-timeout", "4s"}));
    EXPECT_EQ(codes_of(apart), with_bugs({"lease_short"}, 1)) << apart;
    three.kill(follower);
    EXPECT_EQ(codes_of(said(1, doctor({"--servers", all}))), with_bugs({"server_unreachable"}, 0));
    three.kill(three.leader().value());
    // The last server still runs, but serves no client once it notices that it is alone.
    EXPECT_TRUE(eventually([&] {
        const auto health = health_of_servers(all).value();
        return std::none_of(health.begin(), health.end(),
                            [](const auto& each) { return each.serves; });
    }));
    const auto left = said(69, doctor({"--connect-timeout", "500ms", "--servers", all}));
    EXPECT_EQ(codes_of(left), (words{"no_server", "server_does_not_serve", "server_unreachable",
                                     "server_unreachable"}))
        << left;
}

// The doctor reports missing permissions, and reports nothing if no permission is missing.
TEST_F(cli_doctor, permissions) {
    const auto secret = file("secret");
    std::ofstream{secret} << "shop:secret\n";
    ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
    const auto holder = run({"--credentials-file", secret, path}, doctor());
    EXPECT_EQ(code_of(holder), 1) << output();
    EXPECT_TRUE(printed("no_right_to_create")) << output();
    EXPECT_TRUE(printed("no_right_to_list")) << output();
    const auto owner =
        run({"--credentials-file", secret, path}, doctor({"--credentials-file", secret}));
    EXPECT_EQ(code_of(owner), 0) << output();
}

TEST_F(cli_doctor, wrong_words_and_full_disks) {
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "doctor", "no/slash"}), 64);
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "doctor", "-o", "xml"}), 64);
    EXPECT_EQ(code_of({"sh", "-c", std::string{TURNSTILE_PROGRAM} + " doctor > /dev/full"}), 74);
}

}  // namespace
}  // namespace turnstile::tests
