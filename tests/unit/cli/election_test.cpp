// SPDX-License-Identifier: Apache-2.0
// Tests the HTTP answers of `turnstile elect --http`, and the parser of the option's address.
#include <gtest/gtest.h>

#include "cli/election_answers.hpp"
#include "cli/election_page.hpp"

namespace turnstile::cli {
namespace {

TEST(http_address, is_a_port_of_the_loopback_or_an_address) {
    EXPECT_EQ(parse_http_address("8080"), (http_address{"127.0.0.1", 8080}));
    EXPECT_EQ(parse_http_address(":8080"), (http_address{"127.0.0.1", 8080}));
    EXPECT_EQ(parse_http_address("0.0.0.0:80"), (http_address{"0.0.0.0", 80}));
    EXPECT_EQ(parse_http_address("[::1]:80"), (http_address{"::1", 80}));
    EXPECT_EQ(to_string({"::1", 80}), "[::1]:80");
    for (const auto* text : {"", ":", "x", "::1:80", "[::1]", "a:65536", "a:-1", "a:8x"})
        EXPECT_FALSE(parse_http_address(text)) << text;
}

election_view view_of(bool leads, bool queued) {
    election_view view{.path = "/e", .id = "a\"b", .leads = leads, .terms = 3};
    participant first;
    first.id = "x\x80";
    view.queue = {first};
    view.queued = queued;
    return view;
}

TEST(election_answers, of_each_state) {
    EXPECT_EQ(is_leader_answer(view_of(true, true)).status, 200);
    EXPECT_EQ(is_leader_answer(view_of(false, true)).status, 503);
    EXPECT_EQ(health_answer(view_of(true, false)).status, 200);
    EXPECT_EQ(health_answer(view_of(false, true)).status, 200);
    EXPECT_EQ(health_answer(view_of(false, false)).status, 503);
    EXPECT_NE(leader_answer(view_of(false, true)).body.find("\"leader\":\"x\\ufffd\""),
              std::string::npos);
    auto silent = view_of(false, false);
    silent.queue.reset();
    EXPECT_EQ(leader_answer(silent).status, 503);
    EXPECT_EQ(health_answer(silent).status, 503);
    silent.leads = true;  // its lease proves the lead without an answer
    EXPECT_EQ(health_answer(silent).status, 200);
    auto empty = view_of(false, false);
    empty.queue->clear();
    EXPECT_NE(leader_answer(empty).body.find("\"leader\":null"), std::string::npos);
    EXPECT_NE(metrics_answer(view_of(true, true))
                  .body.find("turnstile_terms_total{path=\"/e\",id=\"a\\\"b\"} 3\n"),
              std::string::npos);
    auto waiting = view_of(false, true);
    waiting.counters.waited = 2;
    EXPECT_NE(
        metrics_answer(waiting).body.find("turnstile_waited_total{path=\"/e\",id=\"a\\\"b\"} 2\n"),
        std::string::npos);
    waiting.counters.guardian = guardian_state::guarded;
    EXPECT_NE(metrics_answer(waiting).body.find("turnstile_guarded{path=\"/e\",id=\"a\\\"b\"} 1\n"),
              std::string::npos);
    waiting.counters.guardian = guardian_state::unguarded;
    EXPECT_NE(metrics_answer(waiting).body.find("turnstile_guarded{path=\"/e\",id=\"a\\\"b\"} 0\n"),
              std::string::npos);
}

TEST(leader_line, is_an_object_of_each_leader) {
    participant leader;
    leader.id = "x\x1b\n\x80";
    leader.znode = "_c_1-lock-0000000003";
    leader.token = fencing_token{0x52};
    leader.data = "10.0.0.7:80";
    EXPECT_EQ(leader_line("/e", leader),
              "{\"path\":\"/e\",\"leader\":\"x\\u001b\\n\\ufffd\","
              "\"znode\":\"_c_1-lock-0000000003\",\"token\":\"0x52\",\"data\":\"10.0.0.7:80\"}\n");
    EXPECT_EQ(leader_line("/e", std::nullopt), "{\"path\":\"/e\",\"leader\":null}\n");
}

}  // namespace
}  // namespace turnstile::cli
