// SPDX-License-Identifier: Apache-2.0
// Tests a survey of locks over `local:`: every kind of lock, of this library and of others, with its holders.
#include "turnstile/lock_survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "client/support.hpp"
#include "core/queue/queue_rule.hpp"
#include "recipe/operator/listed_lock.hpp"

namespace turnstile::tests {
namespace {

class lock_surveys : public shell_test {
protected:
    // Creates znodes of contenders as other clients do.
    void make(const std::vector<std::string>& paths) {
        mutex tools{*servers, "/tools"};
        auto hold = tools.acquire({.timeout = limit()}).value();
        transaction all;
        for (const auto& path : paths) all.create(path, "10.0.0.7");
        ASSERT_TRUE(hold.commit(all));
        ASSERT_TRUE(hold.release());
    }
    [[nodiscard]] lock_survey survey(const std::string& folder = "/",
                                     const survey_options& options = {}) const {
        return locks_below(*servers, folder, options).value();
    }
    static std::vector<std::string> lines(const lock_survey& found) {
        std::vector<std::string> all;
        for (const auto& lock : found.locks)
            all.push_back(lock.path + ' ' + to_string(lock.kind) + ' ' +
                          std::to_string(lock.holders.size()) + ' ' +
                          std::to_string(lock.waiters.size()));
        return all;
    }

    std::unique_ptr<client> servers = connect();
};

using testing_lines = std::vector<std::string>;

TEST_F(lock_surveys, of_nothing) {
    EXPECT_EQ(lines(survey()), testing_lines{});
    EXPECT_EQ(lines(survey("/not/there")), testing_lines{});
    EXPECT_EQ(locks_below(*servers, "no/slash").error().code(), errc::bad_path);
}

TEST_F(lock_surveys, every_kind_is_found_at_its_path) {
    mutex orders{*servers, "/locks/orders"};
    shared_mutex prices{*servers, "/locks/deep/prices"};
    semaphore gpus{*servers, "/locks/gpus", 3};
    const auto exclusive = orders.acquire({.label = "first"}).value();
    const auto reader = prices.acquire_shared().value();
    const auto second_reader = prices.acquire_shared().value();
    const auto permits = gpus.acquire(2).value();
    event queued;
    prices.async_acquire({.on_queued = [&](std::size_t) { queued.set(); }}, [](auto) {});
    gpus.async_acquire(2, {.on_queued = [&](std::size_t) { queued.set(); }}, [](auto) {});
    ASSERT_TRUE(queued.wait(2));
    const auto found = survey();
    EXPECT_EQ(lines(found),
              (testing_lines{"/locks/deep/prices shared_mutex 2 1", "/locks/gpus semaphore 1 1",
                             "/locks/orders mutex 1 0"}));
    EXPECT_EQ(found.locks[1].permits, 3);
    EXPECT_EQ(found.locks[2].holders.front().metadata.label, "first");
    EXPECT_EQ(found.locks[2].holders.front().token, exclusive.fencing_token());
    EXPECT_EQ(lines(survey("/locks/deep")), testing_lines{"/locks/deep/prices shared_mutex 2 1"});
    servers->close();
}

TEST_F(lock_surveys, of_other_libraries) {
    const std::string hex(32, 'a');
    make({"/theirs", "/theirs/curator", "/theirs/go", "/theirs/kazoo",
          "/theirs/curator/_c_6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f-lock-0000000004",
          "/theirs/curator/_c_6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f-latch-0000000002",
          "/theirs/go/_c_" + hex + "-lock-0000000001",
          "/theirs/kazoo/" + hex + "__rlock__0000000001",
          "/theirs/kazoo/" + hex + "__lock__0000000003",
          "/theirs/kazoo/" + hex + "__rlock__0000000002",
          "/theirs/kazoo/" + hex + "__rlock__0000000004"});
    const auto found = survey("/theirs");
    EXPECT_EQ(lines(found), (testing_lines{"/theirs/curator mutex 1 0", "/theirs/curator latch 1 0",
                                           "/theirs/go mutex 1 0", "/theirs/kazoo kazoo 2 2"}));
    EXPECT_EQ(found.locks.back().waiters.front().kind, contender_kind::mutex);
    EXPECT_EQ(found.locks.back().holders.front().metadata.text, "10.0.0.7");
}

TEST_F(lock_surveys, what_is_no_contender_is_no_lock) {
    make({"/plain", "/plain/lock-", "/plain/__lock__12", "/plain/_c_lock",
          "/plain/x__lock__00000000a1"});
    EXPECT_EQ(lines(survey("/plain")), testing_lines{});
}

TEST_F(lock_surveys, one_path_and_not_what_is_below) {
    mutex above{*servers, "/locks"};
    mutex below{*servers, "/locks/orders"};
    const auto first = above.acquire().value();
    const auto second = below.acquire().value();
    const auto found = locks_at(*servers, "/locks").value();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().path, "/locks");
    EXPECT_TRUE(locks_at(*servers, "/not/there").value().empty());
}

TEST_F(lock_surveys, long_queues_are_counted_and_read_as_far_as_is_asked) {
    mutex orders{*servers, "/locks/orders"};
    const auto hold = orders.acquire().value();
    event queued;
    for (int i = 0; i != 9; ++i)
        orders.async_acquire({.on_queued = [&](std::size_t) { queued.set(); }}, [](auto) {});
    ASSERT_TRUE(queued.wait(9));
    const auto found = survey("/", {.most_read = 3});
    ASSERT_EQ(found.locks.size(), 1U);
    EXPECT_EQ(found.locks[0].contenders, 10U);
    EXPECT_EQ(found.locks[0].holders.size(), 1U);
    EXPECT_EQ(found.locks[0].waiters.size(), 2U);
    servers->close();
}

TEST_F(lock_surveys, end_with_the_client) {
    servers->close();
    EXPECT_EQ(locks_below(*servers, "/").error().code(), errc::closed);
    const client moved = std::move(*servers);
    EXPECT_EQ(locks_below(*servers, "/").error().code(), errc::closed);
}

TEST(kazoo_name, as_kazoo_writes_them) {
    const std::string hex(32, '0');
    EXPECT_EQ(detail::parse_kazoo(hex + "__lock__0000000012"), (detail::kazoo_name{false, 12}));
    EXPECT_EQ(detail::parse_kazoo(hex + "__rlock__-2147483648"),
              (detail::kazoo_name{true, -2147483647 - 1}));
    for (const char* none :
         {"", "__lock__", "a__lock__123", "a__lock__00000000x1", "_c_a-lock-0000000001"})
        EXPECT_EQ(detail::parse_kazoo(none), std::nullopt) << none;
}

// The survey finds the holders in one pass over the list of contenders. It must agree with core::decide(), which
// decides about each contender separately.
TEST(survey_rule, agrees_with_the_queue_rule) {
    const std::vector<std::pair<contender_kind, std::string>> kinds{
        {contender_kind::reader, "-__READ__"},
        {contender_kind::writer, "-__WRIT__"},
        {contender_kind::upgradable, "-__UPGR__-__READ__"}};
    std::mt19937 random{20261123};
    for (int round = 0; round != 500; ++round) {
        std::vector<contender> queue;
        std::vector<std::string> names;
        for (int i = 0; i != 6; ++i) {
            const auto& [kind, marker] = kinds[random() % 8 % kinds.size()];
            contender entry;
            entry.kind = kind;
            entry.name = "_c_6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f" + marker + "000000000" +
                         std::to_string(i);
            names.push_back(entry.name);
            queue.push_back(entry);
        }
        surveyed_lock lock{.path = "/a", .kind = lock_kind::shared_mutex};
        detail::tell_apart(lock, queue);
        EXPECT_EQ(lock.holders.size() + lock.waiters.size(), queue.size());
        for (const auto& entry : lock.holders)
            EXPECT_EQ(core::decide(names, entry.name).verdict, core::verdict::granted)
                << entry.name;
        for (const auto& entry : lock.waiters)
            EXPECT_NE(core::decide(names, entry.name).verdict, core::verdict::granted)
                << entry.name;
    }
}

}  // namespace
}  // namespace turnstile::tests
