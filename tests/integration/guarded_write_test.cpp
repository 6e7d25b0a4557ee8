// SPDX-License-Identifier: Apache-2.0
// Tests guard::commit() on a real server, with lost answers, ended sessions and deleted znodes. The version of a
// counter znode shows how often a write was executed.
#include <future>

#include "support.hpp"
#include "turnstile/tools/session_secret.hpp"

namespace turnstile::tests {
namespace {

class guarded_writes : public ::testing::Test {
protected:
    const std::string path = lock_path();
    const std::string counter = path + ".counter";
    testing::event lost_one;  // before the proxy, whose thread sets it
    tcp_proxy proxy{server().connect_string(0)};
    std::unique_ptr<client> servers = connect(proxy.address());
    std::unique_ptr<client> observer = connect(server().connect_string());
    mutex lock{*servers, path};
    guard hold;

    void SetUp() override {
        hold = lock.acquire({.timeout = limit()}).value();
        const auto written = hold.commit(transaction{}.create(counter, "0"), {.timeout = limit()});
        ASSERT_TRUE(written) << written.error().message();
    }
    // Returns how often the counter znode was written.
    [[nodiscard]] std::int32_t writes() {
        mutex other{*observer, path + ".look"};
        auto look = other.acquire({.timeout = limit()}).value();
        for (std::int32_t version = 0; version != 10; ++version)
            if (look.commit(transaction{}.check(counter, version), {.timeout = limit()}))
                return version;
        return -1;
    }
    void lose_next(direction way, verdict how = verdict::cut_connection) {
        proxy.filter(way, [this, way, how](frame& frame) {
            const auto kind = way == direction::to_server ? frame_kind::request : frame_kind::reply;
            if (lost_one.is_set() || !frame.is(kind, opcode::multi)) return verdict::forward;
            lost_one.set();
            return how;
        });
    }
    [[nodiscard]] result<commit_result> write(const std::string& data) {
        return hold.commit(transaction{}.set(counter, data), {.timeout = limit()});
    }
};

TEST_F(guarded_writes, a_lost_answer_is_a_success_when_it_was_one) {
    lose_next(direction::to_client);
    const auto done = write("1");
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_TRUE(lost_one.is_set());
    EXPECT_EQ(writes(), 1);
    ASSERT_TRUE(write("2"));  // after this write the client knows its znode's version
    EXPECT_EQ(writes(), 2);
}

TEST_F(guarded_writes, a_lost_request_is_sent_again_and_carried_out_once) {
    lose_next(direction::to_server);
    ASSERT_TRUE(write("1"));
    EXPECT_TRUE(lost_one.is_set());
    EXPECT_EQ(writes(), 1);
}

TEST_F(guarded_writes, names_of_sequential_znodes_are_not_invented) {
    lose_next(direction::to_client);
    const auto written =
        hold.commit(transaction{}.create(counter + "-", "", node_kind::persistent_sequential),
                    {.timeout = limit()});
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_TRUE(!written->names_known || !lost_one.is_set());
    EXPECT_EQ(written->created[0], counter + "-");
}

TEST_F(guarded_writes, a_release_waits_for_what_is_being_found_out) {
    lose_next(direction::to_client);
    std::promise<result<commit_result>> told;
    hold.async_commit(transaction{}.set(counter, "1"), {.timeout = limit()},
                      [&](result<commit_result> r) { told.set_value(std::move(r)); });
    ASSERT_TRUE(hold.release(limit()));
    EXPECT_TRUE(told.get_future().get());
    EXPECT_EQ(writes(), 1);
}

TEST_F(guarded_writes, a_session_that_ends_meanwhile_leaves_it_unknown) {
    lose_next(direction::to_client);
    proxy.filter(direction::to_server, [this](frame&) {
        // The proxy loses this answer.
        return lost_one.is_set() ? verdict::cut_connection : verdict::forward;
    });
    auto done = std::async(std::launch::async, [&] { return write("1"); });
    ASSERT_TRUE(lost_one.wait());
    const auto secret = secret_of(*servers);
    testing::close_session(server().connect_string(), secret.id, secret.password);
    proxy.filter(direction::to_server, {});
    EXPECT_EQ(done.get().error(), errc::outcome_unknown);
    EXPECT_EQ(writes(), 1);
}

TEST_F(guarded_writes, the_servers_refuse_whoever_has_lost_the_lock) {
    // The connection remains, but the holder receives nothing.
    proxy.black_hole(direction::to_client);
    const auto secret = secret_of(*servers);
    testing::close_session(server().connect_string(), secret.id, secret.password);
    mutex theirs{*observer, path};
    auto next = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(next);
    const auto late = hold.commit(transaction{}.set(counter, "late"), {.timeout = 100ms});
    EXPECT_FALSE(late);  // outcome_unknown, because no answer arrives

    proxy.pass();
    EXPECT_TRUE(next->commit(transaction{}.check(counter, 0), {.timeout = limit()}));
}

TEST_F(guarded_writes, wrong_versions_of_the_parts_are_named) {
    ASSERT_TRUE(write("1"));
    const auto refused =
        hold.commit(transaction{}.check(counter, 1).set(counter, "2", 0), {.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::bad_version);
    EXPECT_EQ(refused.error().part(), 1U);
    EXPECT_NE(refused.error().message().find(counter), std::string::npos);
    EXPECT_EQ(writes(), 1);
}

TEST_F(guarded_writes, names_are_those_below_the_chroot) {
    ASSERT_TRUE(hold.commit(transaction{}.create("/tests/below", ""), {.timeout = limit()}));
    const auto below = connect(server().connect_string() + "/tests/below");
    mutex there{*below, "/lock"};
    auto held = there.acquire({.timeout = limit()}).value();
    const auto written = held.commit(transaction{}
                                         .check("/")
                                         .create("/n-", "x", node_kind::persistent_sequential)
                                         .set("/lock", "y"),
                                     {.timeout = limit()});
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_EQ(written->created[1], "/n-0000000001");
}

TEST_F(guarded_writes, what_is_to_be_is_read_first_and_a_lost_answer_found_out_about) {
    const auto folder = path + ".made";
    lose_next(direction::to_client);
    const auto done =
        hold.commit(transaction{}.make(folder + "/a/b").put(folder + "/a/c", "1").put(counter, "1"),
                    {.timeout = limit()});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_TRUE(lost_one.is_set());
    EXPECT_EQ(writes(), 1);
    EXPECT_EQ(read_node(*observer, folder + "/a/c").value().data, "1");
    const auto again = hold.commit(
        transaction{}.make(folder + "/a/b").put(folder + "/a/c", "2").put(folder + "/a/d", "3"),
        {.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->created, (std::vector<std::string>{"", "", folder + "/a/d"}));
    EXPECT_EQ(again->versions, (std::vector{any_version, 1, 0}));
}

TEST_F(guarded_writes, of_several_locks_check_all_of_them) {
    mutex second{*servers, path + ".second"};
    const auto neighbour = connect(proxy.address());  // both clients use the proxy
    mutex theirs{*neighbour, path + ".theirs"};
    multi_lock all{second};
    auto whole = all.acquire({.timeout = limit()}).value();
    auto other = theirs.acquire({.timeout = limit()}).value();
    lose_next(direction::to_server);
    const auto writes_all = transaction{}.put(counter, "1").under(whole).under(other);
    const auto done = hold.commit(writes_all, {.timeout = limit()});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_TRUE(lost_one.is_set());
    // The other client's session ends, and no message reports that to this process. So the servers must refuse the
    // commit.
    const auto secret = secret_of(*neighbour);
    testing::close_session(server().connect_string(), secret.id, secret.password);
    const auto late = hold.commit(writes_all, {.timeout = limit()});
    EXPECT_TRUE(late.error() == errc::removed || late.error() == errc::session_lost)
        << late.error().message();
    EXPECT_TRUE(whole.commit(transaction{}.put(counter, "2"), {.timeout = limit()}));
}

TEST_F(guarded_writes, the_next_in_line_is_not_disturbed) {
    mutex theirs{*observer, path};
    testing::event queued;
    auto waiting = std::async(std::launch::async, [&] {
        return theirs.acquire(
            {.timeout = limit(), .on_queued = [&](std::size_t) { queued.set(); }});
    });
    ASSERT_TRUE(queued.wait());
    for (int i = 1; i != 5; ++i) ASSERT_TRUE(write(std::to_string(i)));
    EXPECT_EQ(queue_names(*observer, path).size(), 2U);
    ASSERT_TRUE(hold.release(limit()));
    EXPECT_TRUE(waiting.get().has_value());
}

}  // namespace
}  // namespace turnstile::tests
