// SPDX-License-Identifier: Apache-2.0
// Tests when a session gives the C client a new list of servers, and which list. After a failed connection, the C
// client's I/O thread reads its list without a lock, so the session must not change the list at that time.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "session_recorder.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace {

struct given_list {
    int state = 0;  // state of the C client's handle
    std::string hosts;
};

std::mutex lists_mutex;
std::vector<given_list> lists;  // guarded by lists_mutex

std::vector<given_list> lists_so_far() {
    const std::lock_guard held{lists_mutex};
    return lists;
}

}  // namespace

// Replaces the C client's function by a function that records its arguments.
extern "C" __attribute__((visibility("default"))) int zoo_set_servers(zhandle_t* handle,
                                                                      const char* hosts) {
    static const auto real =
        reinterpret_cast<int (*)(zhandle_t*, const char*)>(::dlsym(RTLD_NEXT, "zoo_set_servers"));
    {
        const std::lock_guard held{lists_mutex};
        lists.push_back({zoo_state(handle), hosts});
    }
    return real(handle, hosts);
}

namespace turnstile::tests::zookeeper_seam {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace core;

TEST(server_list, changes_for_a_move_alone_and_while_the_connection_stands) {
    testing::ensemble servers{{.count = 3}};
    servers.wait_until_serving();
    std::vector<std::unique_ptr<testing::tcp_proxy>> proxies;
    std::string all;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        proxies.push_back(std::make_unique<testing::tcp_proxy>(servers.connect_string(i)));
        all += (all.empty() ? "" : ",") + proxies.back()->address();
    }
    auto& leader = *proxies.at(*servers.leader());
    leader.refuse();
    session_settings settings = recorder_settings();
    settings.detect_role = true;
    session_recorder me{all, settings};
    const auto first = me.link(link_kind::role_known).connection;
    EXPECT_THAT(lists_so_far(), IsEmpty());

    leader.accept();
    me.session().seek_leader(first);
    const auto there = me.attached(first + 1);
    EXPECT_EQ(there.server, leader.address());
    const auto moved = lists_so_far();
    ASSERT_THAT(moved, SizeIs(2));
    EXPECT_EQ(moved[0].state, ZOO_CONNECTED_STATE);
    EXPECT_THAT(moved[1].hosts, StartsWith(leader.address() + ","));
    EXPECT_EQ(std::count(moved[1].hosts.begin(), moved[1].hosts.end(), ','), 2);

    leader.refuse();
    me.attached(there.connection + 1);
    me.ask(exists_op{"/"});
    EXPECT_THAT(lists_so_far(), SizeIs(2)) << "a list is no answer to a failure";
}

}  // namespace
}  // namespace turnstile::tests::zookeeper_seam
