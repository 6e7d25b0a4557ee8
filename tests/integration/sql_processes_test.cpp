// SPDX-License-Identifier: Apache-2.0
// Tests processes that contend for a lock in a database. They must alternate. A stopped holder must block the lock only
// until its session ends.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "sql_backend.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

std::vector<fencing_token> tokens_in(const std::string& output) {
    std::vector<fencing_token> found;
    std::istringstream lines{output};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words{line};  // a grant, or a line of the log
        std::string word, token;
        if (words >> word >> token && word == "grant")
            found.push_back(fencing_token::parse(token).value());
    }
    return found;
}

testing::process contend(const std::string& path, const std::string& timeout_ms,
                         std::vector<std::string> work, const std::filesystem::path& output) {
    std::vector<std::string> command{TURNSTILE_CONTENDER, database(), path, timeout_ms};
    command.insert(command.end(), work.begin(), work.end());
    return testing::process{testing::process_options{std::move(command), {}, output, {}}};
}

TEST(sql_processes, take_turns_with_growing_tokens) {
    constexpr std::size_t k_processes = 4;
    constexpr std::size_t k_grants = 50;
    const testing::temporary_folder folder;
    const auto path = lock_path();
    const auto output = folder.path() / "grants";
    std::vector<testing::process> processes;
    for (std::size_t i = 0; i != k_processes; ++i)
        processes.push_back(contend(
            path, "20000", {"sell", std::to_string(k_grants), folder.path().string()}, output));
    for (auto& process : processes) {
        ASSERT_TRUE(process.wait(limit() * 4)) << process.output();
        EXPECT_EQ(process.exit_code(), 0) << process.output();
    }
    const auto tokens = tokens_in(processes.front().output());
    ASSERT_EQ(tokens.size(), k_processes * k_grants);
    for (std::size_t i = 1; i != tokens.size(); ++i) EXPECT_LT(tokens[i - 1], tokens[i]);
}

// The holder writes the end of its lease into a file. So the test can check that a stopped holder's lease has ended,
// without any code of the library.
TEST(sql_processes, a_holder_that_stands_still_has_lost_when_another_is_granted) {
    const testing::temporary_folder folder;
    const auto path = lock_path();
    const auto output = folder.path() / "held";
    auto holder = contend(path, "2000", {"hold", folder.path().string()}, output);
    ASSERT_TRUE(holder.wait_for_output("grant ")) << holder.output();
    const auto servers = connect_to_database();
    mutex lock{*servers, path};
    // A process that is stopped during a transaction may block other transactions. The test then resumes the process
    // and stops it again.
    for (;;) {
        holder.pause();
        mutex other{*servers, path + ".free"};
        if (other.acquire({.timeout = 500ms}).has_value()) break;
        holder.resume();
    }
    const auto hold = lock.acquire({.timeout = limit()});
    const auto granted = boottime_clock::now();
    ASSERT_TRUE(hold) << hold.error().message();
    std::ifstream file{folder.path() / "lease", std::ios::binary};
    std::int64_t said = 0;
    file.read(reinterpret_cast<char*>(&said), sizeof said);
    EXPECT_GT(said, 0);
    EXPECT_LT(said, granted.time_since_epoch().count());
    EXPECT_GT(hold->fencing_token(), tokens_in(holder.output()).front());
}

TEST(sql_processes, a_static_client_closes_its_session_at_the_end_of_the_process) {
    const testing::temporary_folder folder;
    const auto path = lock_path();
    auto leaving = contend(path, "60000", {"leave"}, folder.path() / "output");
    ASSERT_TRUE(leaving.wait(limit())) << leaving.output();
    EXPECT_EQ(leaving.exit_code(), 0) << leaving.output();
    EXPECT_THAT(leaving.output(), ::testing::Not(::testing::HasSubstr("warning")));
    const auto servers = connect_to_database();
    const mutex lock{*servers, path};
    EXPECT_TRUE(lock.queue({.timeout = limit()}).value().empty());
}

TEST(sql_processes, a_forked_child_leaves_the_session_to_its_parent) {
    const auto path = lock_path();
    auto servers = connect_to_database();
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const pid_t child = ::fork();
    if (child == 0) {
        servers.reset();
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".after", ""), {.timeout = limit()}));
    EXPECT_TRUE(hold->valid());
}

}  // namespace
}  // namespace turnstile::tests
