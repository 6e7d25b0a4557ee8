// SPDX-License-Identifier: Apache-2.0
// Tests the programs of docs/start/situations.md in several processes, on each kind of server. The checks read the
// processes' output and files, and use no code of the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "situations_fixture.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::eventually;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::process;

std::vector<int> all_up_to(int last) {
    std::vector<int> numbers(static_cast<std::size_t>(last));
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
}

TEST_P(situations, a_piece_is_sold_once) {
    constexpr int k_pieces = 100;
    write("stock", std::to_string(k_pieces));
    auto shops = start_all({"sold_once", file("stock")});
    ASSERT_TRUE(end_well(shops));
    std::vector<int> sold;
    for (const auto& line : log()) sold.push_back(std::stoi(line.substr(sizeof "sold piece")));
    std::sort(sold.begin(), sold.end());
    EXPECT_EQ(sold, all_up_to(k_pieces));
}

// The source is a pipe, so its reader waits for the test. The test writes when all processes have missed the cache.
TEST_P(situations, a_value_is_computed_once) {
    make_pipe("source");
    auto processes = start_all({"one_rebuild", file("source"), file("cache")});
    ASSERT_TRUE(eventually([&] {
        return lines("not in the cache") == processes.size() && lines("computes the value") != 0;
    }));
    write("source", "prices\n");
    ASSERT_TRUE(end_well(processes));
    EXPECT_EQ(lines("computes the value"), 1U);
    EXPECT_EQ(lines("made of prices"), processes.size());
}

TEST_P(situations, blocks_of_ids_have_no_gap_and_no_id_twice) {
    constexpr long k_block = 100;
    constexpr int k_blocks = 25;
    auto processes = start_all({"id_blocks", std::to_string(k_blocks)});
    ASSERT_TRUE(end_well(processes));
    std::set<long> firsts;
    for (const auto& line : log()) {
        std::istringstream block{line};
        std::string ids, to;
        long first = 0, last = 0;
        block >> ids >> first >> to >> last;
        EXPECT_TRUE(firsts.insert(first).second) << line;
        EXPECT_EQ(last, first + k_block - 1) << line;
    }
    ASSERT_EQ(firsts.size(), processes.size() * k_blocks);
    EXPECT_EQ(*firsts.rbegin() - *firsts.begin(), (firsts.size() - 1) * k_block);
}

// All consumers get all messages. The test kills one consumer and then delivers its messages again.
TEST_P(situations, a_user_is_credited_once_under_redelivery) {
    constexpr int k_users = 60;
    std::set<std::string> users;
    for (int i = 0; i != k_users; ++i)
        users.insert("user " + std::to_string(i) + (i % 2 == 0 ? "/.." : " %"));
    std::string inbox;
    for (const auto& user : users) inbox += user + '\n';
    write("inbox", inbox);
    const std::vector<std::string> consume{"each_user_once", file("inbox"), file("ledger")};
    auto consumers = start_all(consume);
    ASSERT_TRUE(consumers.front().wait_for_output("acknowledged"));
    consumers.front().kill();
    consumers.front() = start(consume);
    ASSERT_TRUE(end_well(consumers));
    const auto credited = lines_of("ledger");
    EXPECT_EQ(credited.size(), users.size());
    EXPECT_EQ((std::set<std::string>{credited.begin(), credited.end()}), users);
}

// While a process queues for the job, each other process may run the job at most once.
TEST_P(situations, a_job_runs_once_a_period_and_takes_turns) {
    constexpr auto k_period = 200ms;
    constexpr int k_turns = 4;
    const auto begin = std::chrono::steady_clock::now();
    auto processes =
        start_all({"rota", "%", std::to_string(k_turns), std::to_string(k_period.count())});
    ASSERT_TRUE(end_well(processes));
    const auto took = std::chrono::steady_clock::now() - begin;
    std::vector<int> runs;
    // For each queued process, counts the runs of each other process since the queued process entered the queue.
    std::map<std::string, std::map<std::string, int>> turns_ahead;
    for (const auto& line : log()) {
        std::istringstream words{line};
        std::string name, verb;
        int number = 0;
        words >> name >> verb;
        if (verb == "in") {
            turns_ahead[name].clear();
        } else if (words >> number) {
            runs.push_back(number);
            turns_ahead.erase(name);
            for (auto& [waiting, turns] : turns_ahead)
                EXPECT_LE(++turns[name], 1) << waiting << " waits, and " << line;
        }
    }
    ASSERT_EQ(runs, all_up_to(static_cast<int>(processes.size()) * k_turns));
    EXPECT_GE(took, k_period * (runs.size() - 1)) << "runs of one period";
}

// The test checks only that the calls are slow enough, because a slow machine may exceed any upper limit.
TEST_P(situations, a_partner_is_called_ten_times_a_second) {
    constexpr std::size_t k_calls = 10;
    const auto begin = std::chrono::steady_clock::now();
    auto processes = start_all({"partner_rate", std::to_string(k_calls)});
    ASSERT_TRUE(end_well(processes));
    const auto took = std::chrono::steady_clock::now() - begin;
    ASSERT_EQ(log().size(), k_calls * processes.size());
    EXPECT_GE(took, (processes.size() - 1) * 1s);
}

TEST_P(situations, money_moves_between_accounts_in_every_direction) {
    const std::vector<std::pair<std::string, std::string>> moves{
        {"ann", "bob"}, {"bob", "ann"}, {"bob", "cid"}, {"cid", "ann"}};
    constexpr int k_times = 30;
    std::map<std::string, int> balances{{"ann", 1000}, {"bob", 1000}, {"cid", 1000}};
    for (const auto& [account, balance] : balances) write(account, std::to_string(balance));
    std::vector<std::vector<std::string>> commands;
    for (int i = 0; i != kind().processes; ++i) {
        const auto& [from, to] = moves[static_cast<std::size_t>(i)];
        commands.push_back({"two_accounts", folder.path(), from, to, std::to_string(k_times)});
        balances[from] -= k_times;
        balances[to] += k_times;
    }
    auto processes = start_together(commands);
    ASSERT_TRUE(end_well(processes));
    for (const auto& [account, balance] : balances)
        EXPECT_THAT(lines_of(account), ElementsAre(std::to_string(balance))) << account;
}

TEST_P(situations, one_leads_and_the_others_stand_by) {
    std::map<std::string, process> participants;
    for (int i = 0; i != kind().processes; ++i) {
        const auto name = "p" + std::to_string(i);
        participants.emplace(name, start({"leader_standby", name}));
    }
    const auto leaders = [&] {
        std::vector<std::string> names;
        for (const auto& line : log())
            if (line.ends_with(" leads")) names.push_back(line.substr(0, line.find(' ')));
        return names;
    };
    for (const auto& [name, participant] : participants)
        ASSERT_TRUE(participant.wait_for_output(name + " stands by"));
    std::vector<std::string> expected;
    for (std::size_t term = 0; !participants.empty(); ++term) {
        ASSERT_TRUE(eventually([&] { return leaders().size() > term; }));
        const auto name = leaders()[term];
        const auto leader = participants.extract(name);
        ASSERT_FALSE(leader.empty()) << name << " leads although it has ended";
        expected.push_back(name + " leads");
        if (term == 0 && !participants.empty()) {
            note("kills " + name);
            leader.mapped().kill();
            expected.push_back("kills " + name);
        } else {
            leader.mapped().terminate();
            ASSERT_TRUE(leader.mapped().wait());
            expected.push_back(name + " stops");
        }
    }
    auto course = log();
    std::erase_if(course, [](const auto& line) { return line.ends_with(" stands by"); });
    EXPECT_EQ(course, expected);
}

// For each customer's order, a process prints one line for each of four steps. No other process may print a line in
// between.
TEST_P(situations, an_owner_goes_through_three_calls) {
    constexpr int k_orders = 40;
    auto processes = start_all({"same_owner", "%", std::to_string(k_orders)});
    ASSERT_TRUE(end_well(processes));
    const std::vector<std::string> steps{"placed", "reserved", "charged", "confirmed"};
    const auto lines = log();
    ASSERT_EQ(lines.size(), processes.size() * k_orders * steps.size());
    std::string order;
    for (std::size_t i = 0; i != lines.size(); ++i) {
        const auto blank = lines[i].rfind(' ');
        if (i % steps.size() == 0) order = lines[i].substr(0, blank);
        EXPECT_EQ(lines[i], order + ' ' + steps[i % steps.size()]);
    }
}

TEST_P(situations, no_reader_sees_half_a_value) {
    constexpr int k_times = 30;
    write("cache", "0 0\n");
    const auto times = std::to_string(k_times);
    const auto readers = static_cast<std::size_t>(kind().processes);
    const bool renews = readers > 1;
    std::vector<std::vector<std::string>> commands(readers,
                                                   {"read_by_many", file("cache"), "read", times});
    if (renews) commands.push_back({"read_by_many", file("cache"), "renew", times});
    auto processes = start_together(commands);
    ASSERT_TRUE(end_well(processes));
    std::size_t values = 0;
    for (const auto& line : log()) {
        std::istringstream words{line};
        std::string word, value, copy;
        words >> word >> value >> copy;
        if (word != "value") continue;
        EXPECT_TRUE(!value.empty() && value == copy) << line;
        ++values;
    }
    EXPECT_EQ(values, readers * k_times);
    if (renews) {
        EXPECT_THAT(lines_of("cache"), ElementsAre(times, times));
    }
}

// The cache is a pipe, so each reader waits under its lock until the test writes.
TEST_P(situations, readers_read_together) {
    make_pipe("cache");
    auto readers = start_all({"read_by_many", file("cache"), "read", "1"});
    ASSERT_TRUE(eventually([&] { return lines("reads") == readers.size(); }));
    write("cache", "1 1\n");
    EXPECT_TRUE(end_well(readers));
}

// The test stops the holder until another process works under the lock.
TEST_P(situations, a_wait_has_an_end_and_a_lost_lock_ends_the_work) {
    const auto last = std::to_string(1'000'000);
    if (kind().processes == 1) {
        auto alone = start({"wait_and_lease", "alone", "60000", "1"});
        ASSERT_TRUE(alone.wait_for_output("alone is done"));
        return;
    }
    auto holder = start({"wait_and_lease", "holder", "60000", last});
    ASSERT_TRUE(holder.wait_for_output("holder works"));
    auto hasty = start({"wait_and_lease", "hasty", "500", "1"});
    ASSERT_TRUE(hasty.wait());
    EXPECT_EQ(hasty.exit_code(), 75);
    EXPECT_THAT(log(), Not(Contains(HasSubstr("hasty works"))));
    // A holder that is stopped during a transaction may block the whole database. The test then resumes the holder.
    for (int tries = 0;; ++tries) {
        ASSERT_LT(tries, 3) << "the lock does not come free";
        holder.pause();
        auto next = start({"wait_and_lease", "next", "10000", "1"});
        ASSERT_TRUE(next.wait(testing::limit() * 2));
        holder.resume();
        if (next.exit_code() == 0) break;
    }
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 1);
    EXPECT_THAT(log(), Contains(HasSubstr("holder stopped: ")));
}

INSTANTIATE_TEST_SUITE_P(zookeeper, situations, ::testing::Values(server_kind{start_zookeeper, 4}));
#ifdef TURNSTILE_WITH_REDIS
INSTANTIATE_TEST_SUITE_P(redis, situations,
                         ::testing::Values(server_kind{start_server<testing::redis_server>, 4}));
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
INSTANTIATE_TEST_SUITE_P(postgresql, situations,
                         ::testing::Values(server_kind{start_server<testing::postgres_server>, 4}));
#endif
#ifdef TURNSTILE_WITH_MARIADB
INSTANTIATE_TEST_SUITE_P(mariadb, situations,
                         ::testing::Values(server_kind{start_server<testing::mariadb_server>, 4}));
#endif
#ifdef TURNSTILE_WITH_SQLITE
INSTANTIATE_TEST_SUITE_P(sqlite, situations, ::testing::Values(server_kind{make_sqlite_file, 4}));
#endif
INSTANTIATE_TEST_SUITE_P(memory, situations, ::testing::Values(server_kind{use_memory, 1}));

}  // namespace
}  // namespace turnstile::tests
