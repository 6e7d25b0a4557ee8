// SPDX-License-Identifier: Apache-2.0
// Tests the list of sessions, which the command computes from the queues and the servers' answers.
#include <gtest/gtest.h>

#include "cli/session_list.hpp"

namespace turnstile::cli {
namespace {

using namespace std::chrono_literals;

constexpr const char* k_cons =
    " /10.0.0.7:48572[1](queued=0,recved=12,sent=12,sid=0x1000a2b0001,lop=PING,est=1668239,"
    "to=30000,lcxid=0x5,lzxid=0xffff,lresp=4,llat=0,minlat=0,avglat=0,maxlat=4)\n"
    " /0:0:0:0:0:0:0:1:5151[1](queued=0,recved=1,sent=1,sid=0xf000000000000001,lop=SESS,est=16,"
    "to=4000,lcxid=0x0)\n"
    " /127.0.0.1:60012[0](queued=0,recved=1,sent=0)\n\n";

constexpr const char* k_dump =
    "SessionTracker dump:\nSession Sets (1)/(1):\n1 expire at Mon Nov 23 03:00:00 UTC 2026:\n"
    "\t0x1000a2b0001\nephemeral nodes dump:\nSessions with Ephemerals (2):\n0x1000a2b0001:\n"
    "\t/shop/locks/a/x-lock-0000000001\n\t/shop/live\n0x2:\n\t/other\nConnections dump:\n"
    "Connections Sets (1)/(1):\n0 expire at Mon Nov 23 03:00:00 UTC 2026:\n";

TEST(server_dump, of_connections) {
    const auto found = parse_cons(k_cons);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found.at(0x1000a2b0001), (session_connection{"10.0.0.7:48572", 30s}));
    EXPECT_EQ(found.at(static_cast<std::int64_t>(0xf000000000000001U)),
              (session_connection{"0:0:0:0:0:0:0:1:5151", 4s}));
    EXPECT_TRUE(parse_cons("[1]( /x sid=0x1,to=1)").empty());
    EXPECT_EQ(parse_cons(" /h:1[1](sid=0x1,to=9223372036854775807)")[1].timeout, 0ms);
    EXPECT_EQ(parse_cons(" /h:1[1](sid=0x1,to=-5)")[1].timeout, 0ms);
    EXPECT_TRUE(parse_cons("cons is not executed because it is not in the whitelist.").empty());
}

TEST(server_dump, of_sessions) {
    const auto found = parse_dump(k_dump);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found.at(0x1000a2b0001),
              (std::vector<std::string>{"/shop/locks/a/x-lock-0000000001", "/shop/live"}));
    EXPECT_EQ(found.at(2), std::vector<std::string>{"/other"});
    EXPECT_TRUE(parse_dump("").empty());
}

// Each session of this library owns a znode, its mark, which belongs to no lock. So the list of the session's znodes
// omits marks.
TEST(session_list, has_no_marks) {
    constexpr const char* k_marks =
        "ephemeral nodes dump:\nSessions with Ephemerals (1):\n0x1000a2b0001:\n"
        "\t/zookeeper/turnstile-0x1000a2b0001\n\t/live\n";
    const session_sources sources{{}, {}, {{"zk1:2181", "", true, k_marks}}, "", "/"};
    const auto list = list_sessions(sources);
    ASSERT_EQ(list.sessions.size(), 1U);
    ASSERT_EQ(list.sessions.front().znodes.size(), 1U);
    EXPECT_EQ(list.sessions.front().znodes.front().path, "/live");
}

TEST(session_list, is_put_together) {
    contender holder;
    holder.name = "x-lock-0000000001";
    holder.session_id = 0x1000a2b0001;
    holder.metadata.host = "web-\x1b[2J";
    holder.metadata.pid = "12";
    surveyed_lock lock;
    lock.path = "/locks/a";
    lock.holders = {holder};
    session_sources sources{{{lock}, {}},
                            {{"zk1:2181", "", true, k_cons}, {"zk2:2181", "", false, ""}},
                            {{"zk1:2181", "", true, k_dump}},
                            "/shop",
                            "/"};
    const auto list = list_sessions(sources);
    ASSERT_EQ(list.sessions.size(), 1U) << "outside the chroot is another application";
    const auto& session = list.sessions.front();
    EXPECT_EQ(session.address, "10.0.0.7:48572");
    EXPECT_EQ(session.server, "zk1:2181");
    EXPECT_EQ(session.timeout, 30s);
    ASSERT_EQ(session.znodes.size(), 2U);
    EXPECT_EQ(session.znodes[0].path, "/live");
    EXPECT_TRUE(session.znodes[1].holds);
    EXPECT_EQ(list.silent, std::vector<std::string>{"zk2:2181: cons"});
    const auto text = session_text(list, "/", true);
    EXPECT_NE(text.find("0x1000a2b0001  web-\\x1b[2J"), std::string::npos) << text;
    EXPECT_NE(text.find("0x1000a2b0001  holds  /locks/a/x-lock-0000000001\n"), std::string::npos)
        << text;
    EXPECT_NE(session_json(list).find("{\"path\":\"/live\",\"part\":\"other\"}"),
              std::string::npos);
    sources.prefix = "/locks";
    EXPECT_EQ(list_sessions(sources).sessions.front().znodes.size(), 1U);
    EXPECT_EQ(session_text({}, "/a\x1b", false), "no session has a znode below /a\\x1b\n");
}

}  // namespace
}  // namespace turnstile::cli
