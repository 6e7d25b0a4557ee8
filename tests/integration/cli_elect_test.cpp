// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile elect` on a real server: one participant leads at a time, and when it ends, the next participant
// leads.
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "admin/http_link.hpp"
#include "cli_fixture.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::tests {
namespace {

class cli_elect : public cli {
protected:
    [[nodiscard]] words elect(const std::string& id, const words& options,
                              const words& command) const {
        return words{TURNSTILE_PROGRAM, "elect", "--tick", "200ms", "--sync-limit", "10", "--pause",
                     "100ms",           "--id",  id,       path} +
               options + words{"--"} + command;
    }
    // Returns the command that a participant runs while it leads. The command prints `name`, and reports an overlap
    // with another leader's command.
    [[nodiscard]] words serve(const std::string& name) const {
        return judged("echo " + name + "-leads; exec tail -f /dev/null");
    }
    [[nodiscard]] std::vector<participant> participants() const {
        const leader seat{*observer, path, [](leader_term&) {}};
        return seat.participants({.timeout = limit()}).value();
    }
};

TEST_F(cli_elect, one_leads_until_it_is_asked_to_stop) {
    auto first = start(elect("first", {}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    auto second = start(elect("second", {}, serve("second")));
    ASSERT_TRUE(eventually([this] { return participants().size() == 2; }));
    EXPECT_EQ(participants().front().id, "first");
    ::kill(first.pid(), SIGTERM);
    ASSERT_TRUE(first.wait());
    EXPECT_EQ(first.exit_code(), 128 + SIGTERM);
    ASSERT_TRUE(second.wait_for_output("second-leads")) << output();
    EXPECT_EQ(participants().size(), 1U);
}

TEST_F(cli_elect, a_killed_leader_is_followed_at_once) {
    auto first = start(elect("first", {"--session-timeout", k_long_session}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    auto second = start(elect("second", {}, serve("second")));
    ASSERT_TRUE(eventually([this] { return participants().size() == 2; }));
    first.kill();
    EXPECT_TRUE(second.wait_for_output("second-leads")) << output();
}

// The keeper is a child process that kills the command before the lease ends. Without its keeper, a participant could
// lead again, but could start no command.
TEST_F(cli_elect, a_leader_without_its_keeper_leaves_the_election) {
    auto first = start(elect("first", {}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    ::kill(children_of(first.pid()).at(0), SIGKILL);
    ASSERT_TRUE(first.wait());
    EXPECT_EQ(first.exit_code(), 128 + SIGKILL) << output();
    EXPECT_TRUE(printed("(turnstile-keep) was killed, and the command with it")) << output();
    EXPECT_TRUE(eventually([this] { return participants().empty(); }));
}

// In each term, the command checks that no other leader's command runs.
TEST_F(cli_elect, it_leads_again_after_a_term) {
    const auto brief = judged("echo $TURNSTILE_ID-term $TURNSTILE_TOKEN");
    auto only = start(elect("only", {}, brief));
    EXPECT_TRUE(eventually([this] {
        const auto said = output();
        return said.find("only-term") != said.rfind("only-term");
    })) << output();
    auto other = start(elect("other", {}, brief));
    EXPECT_TRUE(other.wait_for_output("other-term")) << output();
    ::kill(only.pid(), SIGTERM);
    ASSERT_TRUE(only.wait());
}

// The first command does not read the message that its term has ended. The next command must not get that message.
TEST_F(cli_elect, a_command_reads_the_status_of_its_own_term) {
    const auto second = file("second");
    auto only = start(elect("only", {},
                            {"sh", "-c",
                             "if test -e " + second + "; then head -n 1 <&$TURNSTILE_STATUS_FD; " +
                                 "else : >" + second + "; echo in; fi; exec tail -f /dev/null"}));
    ASSERT_TRUE(only.wait_for_output("in")) << output();
    const revocation order{*observer, path};
    ASSERT_TRUE(order.take_now(mutex{*observer, path}.queue().value().front(), {.who = "test"}));
    ASSERT_TRUE(only.wait_for_output("{\"event\":")) << output();
    EXPECT_FALSE(printed("\"lost\"")) << output();
}

TEST_F(cli_elect, a_stopped_leader_is_followed_without_overlap) {
    auto first =
        start(elect("first", {"--session-timeout", "4s", "--grace", "300ms"}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    auto second = start(elect("second", {"--once"}, alone()));
    ASSERT_TRUE(eventually([this] { return participants().size() == 2; }));
    first.pause();
    ASSERT_TRUE(second.wait());
    EXPECT_EQ(second.exit_code(), 0) << output();
    // The participant is stopped, and queues again when it resumes.
    first.resume();
    EXPECT_TRUE(eventually([this] {
        const auto said = output();
        return said.find("first-leads") != said.rfind("first-leads");
    })) << output();
}

TEST_F(cli_elect, once) {
    EXPECT_EQ(code_of(elect("only", {"--once"}, {"sh", "-c", "exit 5"})), 5);
    EXPECT_EQ(code_of(elect("only", {}, {"/nonexistent/program"})), 127);
    EXPECT_TRUE(participants().empty());
}

TEST_F(cli_elect, a_waiting_one_stops_at_a_signal) {
    auto first = start(elect("first", {}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads"));
    auto second = start(elect("second", {}, {"echo", "started"}));
    ASSERT_TRUE(eventually([this] { return participants().size() == 2; }));
    ::kill(second.pid(), SIGINT);
    ASSERT_TRUE(second.wait());
    EXPECT_EQ(second.exit_code(), 128 + SIGINT);
    EXPECT_FALSE(printed("started"));
}

TEST_F(cli_elect, a_signal_while_no_server_answers) {
    tcp_proxy proxy{server().connect_string()};
    proxy.black_hole();
    auto waiter = start_at(proxy.address(), elect("only", {"--connect-timeout", "1h"}, {"true"}));
    ASSERT_TRUE(eventually([&] { return proxy.connections() > 0; }));
    ::kill(waiter.pid(), SIGTERM);
    ASSERT_TRUE(waiter.wait());
    EXPECT_EQ(waiter.exit_code(), 128 + SIGTERM);
}

TEST_F(cli_elect, listeners_hear_of_each_leader) {
    auto listener = start(words{TURNSTILE_PROGRAM, "elect", "--listen", path});
    ASSERT_TRUE(listener.wait_for_output("-\n")) << output();
    auto first = start(elect("the first", {}, {"tail", "-f", "/dev/null"}));
    ASSERT_TRUE(listener.wait_for_output("the first\n")) << output();
    first.terminate();
    ASSERT_TRUE(first.wait());
    auto second = start(elect("\x1b[2Jsecond", {"--data", "b:80"}, {"tail", "-f", "/dev/null"}));
    EXPECT_TRUE(listener.wait_for_output("\\x1b[2Jsecond b:80\n")) << output();
}

TEST_F(cli_elect, listeners_that_are_programs) {
    auto listener = start(words{TURNSTILE_PROGRAM, "elect", "--listen", "-o", "json", path});
    ASSERT_TRUE(listener.wait_for_output("{\"path\":\"" + path + "\",\"leader\":null}\n"))
        << output();
    auto first = start(elect("the first", {}, {"tail", "-f", "/dev/null"}));
    ASSERT_TRUE(listener.wait_for_output("\"token\":\"0x")) << output();
    EXPECT_TRUE(printed("\"leader\":\"the first\",\"znode\":\"_c_")) << output();
    EXPECT_TRUE(printed("\"data\":\"\"}")) << output();
}

std::uint16_t port_of(const std::string& output) {
    const auto colon = output.find(':', output.find("http://") + std::strlen("http://"));
    return static_cast<std::uint16_t>(std::atoi(output.c_str() + colon + 1));
}

std::string host_of(const std::string& output) {
    return "Host: 127.0.0.1:" + std::to_string(port_of(output)) + "\r\n";
}

// Sends a request. Returns the answer, which begins with the status: "200 {...}".
std::string raw_answer_at(const std::string& output, const std::string& request,
                          std::uint32_t from = 1) {
    const http_link probe{port_of(output), from};
    probe.send(request);
    const auto said = probe.whole_answer();
    return said.status == 0 ? "no answer" : std::to_string(said.status) + " " + said.body;
}

std::string answer_at(const std::string& output, const std::string& page, std::uint32_t from = 1) {
    const auto line = "GET " + page + " HTTP/1.1\r\n";
    return raw_answer_at(output, line + host_of(output) + "Connection: close\r\n\r\n", from);
}

TEST_F(cli_elect, sidecars_are_told) {
    auto first = start(elect("first", {"--http", "0"}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    const auto here = output();
    EXPECT_EQ(answer_at(here, "/isLeader"), "200 yes\n");
    EXPECT_EQ(answer_at(here, "/healthz"), "200 leads\n");
    EXPECT_TRUE(eventually([&] {
        return answer_at(here, "/leader").find("\"leader\":\"first\"") != std::string::npos;
    }));
    const auto numbers = answer_at(here, "/metrics");
    EXPECT_NE(numbers.find("turnstile_leads{path=\"" + path + "\",id=\"first\"} 1\n"),
              std::string::npos)
        << numbers;
    EXPECT_EQ(answer_at(here, "/other").substr(0, 4), "404 ");
}

TEST_F(cli_elect, a_sidecar_of_a_waiting_one) {
    auto first = start(elect("first", {}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    tcp_proxy proxy{server().connect_string()};
    auto second = start_at(proxy.address(), elect("second", {"--http", "127.0.0.1:0"}, alone()));
    ASSERT_TRUE(second.wait_for_output("http://127.0.0.1:")) << output();
    const auto there = output();
    EXPECT_EQ(answer_at(there, "/isLeader"), "503 no\n");
    EXPECT_TRUE(eventually([&] { return answer_at(there, "/healthz") == "200 waits to lead\n"; }));
    EXPECT_NE(
        answer_at(there, "/leader").find("200 {\"path\":\"" + path + "\",\"leader\":\"first\""),
        std::string::npos);
    // Without a connection, the program knows no leader.
    proxy.black_hole();
    EXPECT_TRUE(eventually([&] { return answer_at(there, "/leader").starts_with("503 "); }));
    EXPECT_TRUE(eventually([&] { return answer_at(there, "/healthz").starts_with("503 "); }));
    EXPECT_EQ(answer_at(there, "/isLeader"), "503 no\n");
}

TEST_F(cli_elect, slow_clients_keep_no_probe_waiting) {
    auto first = start(elect("first", {"--http", "0"}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    const auto here = output();
    std::vector<http_link> silent;
    std::vector<http_link> slow;
    for (int i = 0; i != 30; ++i) {
        silent.emplace_back(port_of(here));
        slow.emplace_back(port_of(here));
        slow.back().send("GET /isLeader HTTP/1.1\r\nX: ");
    }
    EXPECT_EQ(answer_at(here, "/isLeader"), "200 yes\n");
    EXPECT_EQ(answer_at(here, "/healthz"), "200 leads\n");
    // The answers came although the silent connections were open.
    for (const auto& each : silent) EXPECT_FALSE(each.is_over());
    for (int i = 0; i != 300; ++i) silent.emplace_back(port_of(here));
    EXPECT_EQ(answer_at(here, "/healthz"), "200 leads\n");
    EXPECT_EQ(answer_at(here, "/healthz", 2), "200 leads\n");
}

// A body of 809 compressed bytes can expand to a gigabyte, so a request must have no body.
TEST_F(cli_elect, a_sidecar_sends_no_body) {
    auto first = start(elect("first", {"--http", "0"}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    const auto here = output();
    const auto encoded = host_of(here) + "Content-Encoding: br\r\nContent-Length: 809\r\n\r\n" +
                         std::string(809, 'x');
    EXPECT_EQ(raw_answer_at(here, "POST /leader HTTP/1.1\r\n" + encoded).substr(0, 4), "415 ");
    EXPECT_EQ(raw_answer_at(here, "GET /leader HTTP/1.1\r\n" + encoded).substr(0, 4), "415 ");
    const auto plain = host_of(here) + "Content-Length: 2\r\n\r\n{}";
    EXPECT_EQ(raw_answer_at(here, "POST /leader HTTP/1.1\r\n" + plain).substr(0, 4), "405 ");
    EXPECT_EQ(raw_answer_at(here, "GET /leader HTTP/1.1\r\n" + plain).substr(0, 4), "400 ");
    EXPECT_EQ(answer_at(here, "/isLeader"), "200 yes\n");
}

// A page of another site can reach 127.0.0.1 by a host name of that site. The request's Host header then has that name.
TEST_F(cli_elect, a_sidecar_calls_it_by_a_name_of_its_own) {
    auto first = start(
        elect("first", {"--http", "0", "--allow-host", "leader.example.org"}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    const auto here = output();
    const auto by = [&](const std::string& host) {
        return raw_answer_at(
            here, "GET /isLeader HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n");
    };
    const auto port = ":" + std::to_string(port_of(here));
    EXPECT_EQ(by("rebound.example.org" + port).substr(0, 4), "421 ");
    EXPECT_EQ(by("localhost" + port), "200 yes\n");
    EXPECT_EQ(by("leader.example.org:80"), "200 yes\n");
    EXPECT_EQ(raw_answer_at(here, "GET /isLeader HTTP/1.0\r\n\r\n"), "200 yes\n");
}

TEST_F(cli_elect, two_share_no_port) {
    auto first = start(elect("first", {"--http", "0"}, serve("first")));
    ASSERT_TRUE(first.wait_for_output("first-leads")) << output();
    const auto port = std::to_string(port_of(output()));
    EXPECT_EQ(code_of(elect("second", {"--http", port}, {"true"})), 64);
}

TEST_F(cli_elect, wrong_addresses) {
    EXPECT_EQ(code_of(elect("x", {"--http", "no port"}, {"true"})), 64);
    const auto taken = server().connect_string();
    EXPECT_EQ(code_of(elect("x", {"--http", taken}, {"true"})), 64);
    EXPECT_TRUE(printed("cannot listen at this address")) << output();
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "elect", "--listen", "--http", "0", path}), 64);
    EXPECT_EQ(code_of(elect("x", {"--allow-host", "name"}, {"true"})), 64);
    EXPECT_TRUE(printed("--http")) << output();
}

TEST_F(cli_elect, wrong_words) {
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "elect", path}), 64);
    EXPECT_EQ(code_of(elect("x", {"--grace", "1h"}, {"true"})), 64);
    EXPECT_EQ(code_of(elect("x", {"-o", "json"}, {"true"})), 64);
    EXPECT_TRUE(printed("--output")) << output();
    EXPECT_EQ(code_of({TURNSTILE_PROGRAM, "elect", "no/slash", "--", "true"}), 64);
}

}  // namespace
}  // namespace turnstile::tests
