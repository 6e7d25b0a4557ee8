// SPDX-License-Identifier: Apache-2.0
// Tests servers that lost their data or returned to older data. They refuse for ever each session that has seen newer
// data, so clients must open new sessions (docs/why/lease.md).
#include <filesystem>
#include <future>
#include <memory>

#include "client/log_lines.hpp"
#include "support.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

class wiped_servers : public ::testing::Test {
protected:
    ensemble servers{{.tick_time = 200ms}};
    const std::string path = lock_path();
    std::unique_ptr<client> mine = connect(servers.connect_string(), quick_options(2s));
    mutex lock{*mine, path};
};

TEST_F(wiped_servers, are_worked_with_again_by_who_held) {
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto before = mine->session();
    servers.wipe(0);
    ASSERT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    auto again = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(again->valid());
    EXPECT_GT(mine->session().epoch, before.epoch);
}

TEST_F(wiped_servers, are_worked_with_again_by_who_waited) {
    const auto other = connect(servers.connect_string(), quick_options(2s));
    mutex theirs{*other, path};
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    auto waiting =
        std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*other, path, 2));
    servers.wipe(0);
    auto granted = waiting.get();
    ASSERT_TRUE(granted) << granted.error().message();
    EXPECT_FALSE(hold->valid());
}

// The servers return to data that contain the session, but lack changes that the session's client has seen.
TEST_F(wiped_servers, are_worked_with_again_after_a_rollback) {
    { const auto hold = lock.acquire({.timeout = limit()}); }
    servers.stop(0);
    const auto data = servers.server(0).data_folder();
    const testing::temporary_folder older;
    std::filesystem::copy(data, older.path() / "data", std::filesystem::copy_options::recursive);
    servers.start(0);
    servers.wait_until_serving();
    ASSERT_TRUE(eventually([&] { return mine->state() == session_state::connected; }));
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto before = mine->session();
    servers.stop(0);
    std::filesystem::remove_all(data);
    std::filesystem::copy(older.path() / "data", data, std::filesystem::copy_options::recursive);
    servers.start(0);
    ASSERT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    auto again = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_GT(mine->session().epoch, before.epoch);
}

// The servers' answers show that no server will accept the session, so the client need not wait for the lease's end.
TEST_F(wiped_servers, are_worked_with_before_the_lease_of_the_session_is_over) {
    mine->close();  // its lease is short, and its end would be in the log
    const log_lines log;
    const auto patient = connect(servers.connect_string(), quick_options(60s));
    mutex same{*patient, path};
    auto hold = same.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    servers.wipe(0);
    auto again = same.acquire({.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(hold->lost().stop_requested());
    EXPECT_TRUE(eventually([&] { return log.with("it was wiped or rolled back") >= 1; }));
    EXPECT_TRUE(eventually([&] { return log.with("the servers expired the session") >= 1; }));
    EXPECT_EQ(log.with("lease ran out"), 0);
}

}  // namespace
}  // namespace turnstile::tests
