// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/client_handle.hpp"

#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

TEST(client_log, takes_a_line_apart_and_lowers_its_level) {
    const client_line refused = parse_client_line(
        "2026-11-21 05:31:00,677:996(0x7fc1):ZOO_ERROR@handle_socket_error_msg@2430: Socket "
        "[127.0.0.1:2181] zk retcode=-4, errno=111: refused\n\n");
    EXPECT_EQ(refused.level, log_level::info);
    EXPECT_EQ(refused.text, "Socket [127.0.0.1:2181] zk retcode=-4, errno=111: refused");
    EXPECT_EQ(parse_client_line("x:ZOO_WARN@f@1: a").level, log_level::info);
    EXPECT_EQ(parse_client_line("x:ZOO_INFO@f@1: a").level, log_level::debug);
    EXPECT_EQ(parse_client_line("x:ZOO_DEBUG@f@1: a").level, log_level::trace);
}

TEST(client_log, returns_another_form_whole) {
    EXPECT_EQ(parse_client_line("something else").text, "something else");
    EXPECT_EQ(parse_client_line("x:ZOO_INFO@f").text, "f");
    EXPECT_EQ(parse_client_line("").text, "");
}

}  // namespace
}  // namespace turnstile::zookeeper
