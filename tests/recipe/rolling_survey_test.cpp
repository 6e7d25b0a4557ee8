// SPDX-License-Identifier: Apache-2.0
// Tests a survey that reads in rounds, and the order in which it reads folders. Over `local:`, the survey must find the
// same locks as a survey that reads all locks at once.
#include "turnstile/tools/rolling_survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/support.hpp"
#include "recipe/operator/survey_turns.hpp"
#include "turnstile/tools/request_count.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using detail::depth_within;
using detail::survey_turns;
using lines = std::vector<std::string>;

std::string contender_called(int number) {
    const auto digits = std::to_string(number);
    return "_c_6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f-lock-" + std::string(10 - digits.size(), '0') +
           digits;
}

TEST(survey_depth, shortest_queues_whole) {
    EXPECT_EQ(depth_within({}, 100), 100U);
    EXPECT_EQ(depth_within({1, 2, 3}, 100), 100U);
    EXPECT_EQ(depth_within({1, 1, 1'000}, 102), 100U);
    EXPECT_EQ(depth_within({1'000, 1'000}, 100), 50U);
    EXPECT_EQ(depth_within({10, 10, 10}, 2), 1U);
}

// Tests the class `survey_turns`, which chooses the folders that a survey reads next. The test gives the folders, and
// the server's answers about these folders.
class turns_of_folders : public ::testing::Test {
protected:
    // Gives the survey the server's list of a folder's children. A `zxid` that differs from the earlier `zxid` means
    // that the folder has changed.
    void list(const std::string& folder, const std::vector<std::string>& children,
              std::int64_t zxid) {
        core::reply answer;
        answer.children = children;
        answer.stat.pzxid = zxid;
        ASSERT_TRUE(turns.list(folder, std::move(answer), boottime_clock::time_point{}));
    }
    void refuse(const std::string& folder, core::server_error why) {
        core::reply answer;
        answer.error = why;
        ASSERT_TRUE(turns.list(folder, std::move(answer), boottime_clock::time_point{}));
    }
    // Answers the survey's next reads of contenders' znodes, at most `most` reads. Returns the paths of these znodes.
    lines read(std::size_t most) {
        turns.choose_depth();
        const auto asked = turns.unread(most);
        lines paths;
        std::vector<core::reply> answers(asked.size());
        for (const auto& each : asked) paths.push_back(survey_turns::path_of(each));
        turns.read(asked, answers);
        return paths;
    }
    [[nodiscard]] lines surveyed() const {
        lines all;
        for (const auto& lock : turns.survey().locks)
            all.push_back(lock.path + ' ' + std::to_string(lock.contenders) + ' ' +
                          std::to_string(lock.holders.size()) + ' ' +
                          std::to_string(lock.waiters.size()));
        return all;
    }
    const std::string earliest = contender_called(1);
    const std::string two = contender_called(2);
    const std::string three = contender_called(3);
    survey_turns turns{"/", 100};
};

TEST_F(turns_of_folders, folders_lead_to_further_ones) {
    turns.begin_round({});
    EXPECT_EQ(turns.unlisted(9), lines{"/"});
    list("/", {"zookeeper", "b", "a"}, 1);
    EXPECT_EQ(turns.unlisted(9), (lines{"/a", "/b"}));
    EXPECT_EQ(turns.unlisted(1), lines{"/a"});
    list("/a", {earliest, two, "deep"}, 2);
    list("/b", {}, 3);
    EXPECT_EQ(turns.unlisted(9), lines{"/a/deep"});
    EXPECT_EQ(turns.unlisted_count(), 1U);
    // The survey has listed the folder /a but has not read the contenders' znodes, so it does not know the holder.
    EXPECT_EQ(surveyed(), lines{"/a 2 0 0"});
}

TEST_F(turns_of_folders, the_first_of_each_queue_comes_before_the_second_of_any) {
    turns.begin_round({});
    list("/", {"a", "b"}, 1);
    list("/a", {two, earliest}, 2);
    list("/b", {three}, 3);
    EXPECT_EQ(read(2), (lines{"/a/" + earliest, "/b/" + three}));
    EXPECT_EQ(surveyed(), (lines{"/a 2 1 0", "/b 1 1 0"}));
    turns.choose_depth();
    EXPECT_EQ(turns.unread_count(), 1U);
    EXPECT_EQ(read(9), lines{"/a/" + two});
    EXPECT_EQ(surveyed(), (lines{"/a 2 1 1", "/b 1 1 0"}));
}

TEST_F(turns_of_folders, what_was_read_is_not_read_again_when_the_queue_moves) {
    turns.begin_round({});
    list("/", {earliest, two}, 1);
    EXPECT_EQ(read(9).size(), 2U);
    turns.begin_round({});
    list("/", {two, three}, 2);
    EXPECT_EQ(read(9), lines{"/" + three});
    EXPECT_EQ(surveyed(), lines{"/ 2 1 1"});
    turns.choose_depth();
    const auto again = turns.due_reads(9);
    ASSERT_EQ(again.size(), 1U);  // the znode's data may change, so the survey reads it again
    EXPECT_EQ(survey_turns::path_of(again.front()), "/" + two);
}

TEST_F(turns_of_folders, a_contender_that_has_gone_meanwhile) {
    turns.begin_round({});
    list("/", {earliest, two}, 1);
    turns.choose_depth();
    const auto asked = turns.unread(9);
    std::vector<core::reply> answers(2);
    answers[0].error = core::server_error::no_node;
    turns.read(asked, answers);
    const auto found = turns.survey();
    ASSERT_EQ(found.locks.size(), 1U);
    EXPECT_EQ(found.locks[0].contenders, 1U);
    EXPECT_EQ(found.locks[0].holders.at(0).name, two);
    EXPECT_EQ(found.locks[0].holders.at(0).position, 0U);
}

TEST_F(turns_of_folders, folders_that_go_and_that_are_closed) {
    turns.begin_round({});
    list("/", {"a", "b", "ab"}, 1);
    list("/a", {earliest, "deep"}, 2);
    list("/a/deep", {two}, 3);
    list("/ab", {three}, 4);
    refuse("/b", core::server_error::no_auth);
    EXPECT_EQ(turns.survey().unreadable, lines{"/b"});
    turns.begin_round({});
    list("/", {"b", "ab"}, 5);
    EXPECT_EQ(surveyed(), lines{"/ab 1 0 0"});
    list("/a/deep", {two}, 6);  // this answer arrives too late
    EXPECT_EQ(surveyed(), lines{"/ab 1 0 0"});
    list("/b", {earliest}, 7);
    EXPECT_EQ(turns.survey().unreadable, lines{});
    refuse("/ab", core::server_error::no_node);
    EXPECT_EQ(surveyed(), lines{"/b 1 0 0"});
}

TEST_F(turns_of_folders, each_has_its_turn_and_those_that_change_have_it_sooner) {
    std::vector<std::string> names;
    for (int i = 0; i != 20; ++i) names.push_back("f" + std::to_string(10 + i));
    std::int64_t zxid = 1;
    turns.begin_round({});
    list("/", names, zxid);
    for (const auto& name : names) list("/" + name, {earliest}, ++zxid);
    for (int round = 0; round != 40; ++round) {  // no folder changes, so all are treated alike
        turns.begin_round({});
        for (const auto& folder : turns.due_folders(7))
            list(folder, {earliest}, folder == "/" ? 1 : 1 + std::stoi(folder.substr(2)) - 9);
    }
    std::map<std::string, int> counts;
    for (int round = 0; round != 100; ++round) {
        turns.begin_round({"/f15"});
        for (const auto& folder : turns.due_folders(4)) {
            ++counts[folder];
            list(folder, {earliest},
                 folder == "/f12" ? ++zxid
                 : folder == "/"  ? 1
                                  : 1 + std::stoi(folder.substr(2)) - 9);
        }
    }
    EXPECT_EQ(counts.size(), 21U);
    EXPECT_EQ(counts["/f15"], 100);  // a user looks at this folder
    EXPECT_GT(counts["/f12"], 3 * counts["/f13"]);
    for (const auto& [folder, count] : counts) EXPECT_GE(count, 5) << folder;
}

class rolling : public shell_test {
protected:
    static lines lines_of(const lock_survey& found) {
        lines all;
        for (const auto& lock : found.locks) {
            std::string line = lock.path + ' ' + to_string(lock.kind) + ' ' +
                               std::to_string(lock.contenders) + ' ' +
                               std::to_string(lock.permits.value_or(0));
            for (const auto* part : {&lock.holders, &lock.waiters})
                for (const auto& each : *part)
                    line += ' ' + each.name + '@' + std::to_string(each.position) + '=' +
                            each.token.to_string() + each.metadata.label;
            all.push_back(line);
        }
        return all;
    }
    std::unique_ptr<client> servers = connect();
};

TEST_F(rolling, finds_what_a_whole_survey_finds) {
    mutex orders{*servers, "/locks/orders"};
    shared_mutex prices{*servers, "/locks/deep/prices"};
    semaphore gpus{*servers, "/locks/gpus", 3};
    auto exclusive = orders.acquire({.label = "first"}).value();
    const auto reader = prices.acquire_shared().value();
    const auto permits = gpus.acquire(2).value();
    event queued;
    prices.async_acquire({.on_queued = [&](std::size_t) { queued.set(); }}, [](auto) {});
    gpus.async_acquire(2, {.on_queued = [&](std::size_t) { queued.set(); }}, [](auto) {});
    ASSERT_TRUE(queued.wait(2));
    rolling_survey rounds{*servers, "/"};
    const auto first = rounds.go_on().value();
    EXPECT_EQ(first.unlisted, 0U);
    EXPECT_EQ(first.unread, 6U);  // five contenders, and the number of permits
    EXPECT_FALSE(first.complete);
    const auto second = rounds.go_on().value();
    EXPECT_EQ(second.unread, 0U);
    EXPECT_TRUE(second.complete);
    EXPECT_EQ(lines_of(rounds.survey()), lines_of(locks_below(*servers, "/").value()));
    ASSERT_TRUE(exclusive.release());
    ASSERT_TRUE(rounds.go_on().value().complete);
    EXPECT_EQ(lines_of(rounds.survey()), lines_of(locks_below(*servers, "/").value()));
    EXPECT_EQ(rounds.survey().locks.size(), 2U);
    servers->close();
}

TEST_F(rolling, asks_no_more_than_it_may_and_comes_to_the_end) {
    std::vector<guard> holds;
    std::vector<std::unique_ptr<mutex>> locks;
    for (int i = 0; i != 30; ++i) {
        locks.push_back(std::make_unique<mutex>(*servers, "/locks/" + std::to_string(i)));
        holds.push_back(locks.back()->acquire().value());
    }
    rolling_survey rounds{*servers, "/"};
    bool complete = false;
    std::size_t most_unread = 0;
    for (int round = 0;
         round != 100 && lines_of(rounds.survey()) != lines_of(locks_below(*servers, "/").value());
         ++round) {
        const auto before = requests_sent(*servers);
        const auto done = rounds.go_on({.most_requests = 10}).value();
        EXPECT_LE(done.requests, 10U);
        EXPECT_EQ(requests_sent(*servers) - before, done.requests);
        most_unread = std::max(most_unread, done.unread);
        complete = complete || done.complete;
    }
    EXPECT_EQ(lines_of(rounds.survey()), lines_of(locks_below(*servers, "/").value()));
    EXPECT_GT(most_unread, 0U);
    EXPECT_FALSE(complete);  // a round is too short for all folders
    EXPECT_TRUE(rounds.go_on({.most_requests = 1'000}).value().complete);
}

TEST_F(rolling, sees_what_a_contender_says_change) {
    mutex orders{*servers, "/locks/orders"};
    const auto hold = orders.acquire().value();
    rolling_survey rounds{*servers, "/locks"};
    ASSERT_TRUE(rounds.go_on());
    ASSERT_TRUE(rounds.go_on());
    const auto before = rounds.survey().locks.at(0).holders.at(0);
    const revocation order{*servers, "/locks/orders"};
    ASSERT_TRUE(order.ask(before, {.who = "ops", .why = "to see"}));
    ASSERT_TRUE(rounds.go_on());
    EXPECT_NE(rounds.survey().locks.at(0).holders.at(0).metadata.text, before.metadata.text);
}

TEST_F(rolling, what_is_refused) {
    rolling_survey wrong{*servers, "no/slash"};
    EXPECT_EQ(wrong.go_on().error().code(), errc::bad_path);
    rolling_survey rounds{*servers, "/"};
    EXPECT_EQ(rounds.go_on({.most_requests = 0}).error().code(), errc::bad_option);
    rolling_survey moved = std::move(rounds);
    EXPECT_EQ(rounds.go_on().error().code(), errc::closed);
    EXPECT_TRUE(rounds.survey().locks.empty());
    servers->close();
    EXPECT_EQ(moved.go_on().error().code(), errc::closed);
}

}  // namespace
}  // namespace turnstile::tests
