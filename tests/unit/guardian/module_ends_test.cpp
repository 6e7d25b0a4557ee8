// SPDX-License-Identifier: Apache-2.0
#include "guardian/module_ends.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::guardian {
namespace {

using std::chrono_literals::operator""s;

constexpr std::size_t k_at_a_time = 16;

guard_module_session session_at(const std::string& servers) {
    return {.number = 1, .timeout = 30s, .id = 7, .proof = "p", .servers = servers};
}

// Acts as the guardian's helper processes, without starting a process. Each helper ends a session on a Redis or SQL
// server. A helper's descriptor becomes readable when the helper ends, as a pidfd does.
class started_processes {
public:
    [[nodiscard]] module_end_starter starter() {
        return [this](const std::string& scheme) { return start(scheme); };
    }
    [[nodiscard]] const std::vector<std::string>& schemes() const { return schemes_; }
    void refuse() { refuses_ = true; }

    // Returns the session that helper `which` received; nothing if it received none.
    [[nodiscard]] std::optional<std::string> session_of(std::size_t which) {
        std::array<std::byte, k_longest_message> bytes;
        const auto got = ::recv(sockets_.at(which).get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got <= 0) return std::nullopt;
        const auto told = decode(std::span{bytes}.first(static_cast<std::size_t>(got)));
        return std::get<guard_module_session>(told.value()).servers;
    }
    void end(std::size_t which) {
        sockets_.at(which).reset();
        ASSERT_EQ(::eventfd_write(ends_.at(which).get(), 1), 0);
    }
    // Ends the helper `which` without a message to its parent.
    void end_unnoticed(std::size_t which) { sockets_.at(which).reset(); }

private:
    end_process start(const std::string& scheme) {
        schemes_.push_back(scheme);
        std::array<int, 2> ends{-1, -1};
        if (refuses_ || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
            return {};
        sockets_.emplace_back(ends[1]);
        ends_.emplace_back(::eventfd(0, EFD_CLOEXEC));
        return {support::descriptor{::dup(ends_.back().get())}, support::descriptor{ends[0]}};
    }

    bool refuses_ = false;
    std::vector<std::string> schemes_;
    std::deque<support::descriptor> sockets_;
    std::deque<support::descriptor> ends_;
};

TEST(guardian_module_ends, a_process_of_each_scheme_waits_for_its_session) {
    started_processes processes;
    module_ends all{processes.starter(), end_processes::ahead};
    EXPECT_TRUE(all.prepare("redis://"));
    EXPECT_TRUE(all.prepare("redis://"));
    EXPECT_TRUE(all.prepare("mysql://"));
    all.start_ahead();
    all.start_ahead();
    EXPECT_EQ(processes.schemes(), (std::vector<std::string>{"mysql://", "redis://"}));
    EXPECT_EQ(processes.session_of(1), std::nullopt);
    EXPECT_TRUE(all.none());
    all.add(session_at("redis://r/locks"));
    all.start();
    EXPECT_EQ(processes.session_of(1), "redis://r/locks");
    EXPECT_FALSE(all.none());
    all.start_ahead();
    EXPECT_EQ(processes.schemes().size(), 2U) << "it would compete with the end";
    processes.end(1);
    all.reap();
    EXPECT_TRUE(all.none());
    all.start_ahead();
    EXPECT_EQ(processes.schemes().size(), 3U);
    EXPECT_EQ(processes.schemes().back(), "redis://") << "it is replaced";
    EXPECT_TRUE(all.take_failures().empty());
}

TEST(guardian_module_ends, a_process_that_ended_before_its_use_is_started_again_when_needed) {
    started_processes processes;
    module_ends all{processes.starter(), end_processes::ahead};
    EXPECT_TRUE(all.prepare("redis://"));
    all.start_ahead();
    processes.end(0);
    all.reap();
    EXPECT_EQ(all.take_failures(), std::vector<std::string>{"redis://"});
    EXPECT_FALSE(all.prepare("redis://"));
    all.start_ahead();
    EXPECT_TRUE(all.take_failures().empty());
    EXPECT_EQ(processes.schemes().size(), 1U);
    all.add(session_at("redis://r"));
    all.start();
    EXPECT_EQ(processes.session_of(1), "redis://r");
}

TEST(guardian_module_ends, a_process_that_ended_unnoticed_costs_no_session) {
    started_processes processes;
    module_ends all{processes.starter(), end_processes::ahead};
    EXPECT_TRUE(all.prepare("redis://"));
    all.start_ahead();
    processes.end_unnoticed(0);
    all.add(session_at("redis://r"));
    all.start();
    EXPECT_EQ(processes.session_of(1), "redis://r");
}

TEST(guardian_module_ends, a_session_is_dropped_where_no_process_can_be_started) {
    started_processes processes;
    processes.refuse();
    module_ends all{processes.starter(), end_processes::ahead};
    EXPECT_TRUE(all.prepare("redis://"));
    all.start_ahead();
    all.start_ahead();
    EXPECT_EQ(processes.schemes().size(), 1U);
    EXPECT_EQ(all.take_failures(), std::vector<std::string>{"redis://"});
    all.add(session_at("redis://r"));
    all.start();
    EXPECT_EQ(processes.schemes().size(), 2U);
    EXPECT_TRUE(all.none());
}

TEST(guardian_module_ends, so_many_run_at_a_time_and_none_ahead_unless_wanted) {
    started_processes processes;
    module_ends all{processes.starter(), end_processes::when_needed};
    EXPECT_TRUE(all.prepare("redis://"));
    all.start_ahead();
    EXPECT_TRUE(processes.schemes().empty());
    for (std::size_t i = 0; i != k_at_a_time + 2; ++i) all.add(session_at("redis://r"));
    all.start();
    EXPECT_EQ(processes.schemes().size(), k_at_a_time);
    for (std::size_t i = 0; i != k_at_a_time; ++i) processes.end(i);
    all.reap();
    EXPECT_FALSE(all.none());
    all.start();
    EXPECT_EQ(processes.session_of(k_at_a_time + 1), "redis://r");
}

}  // namespace
}  // namespace turnstile::guardian
