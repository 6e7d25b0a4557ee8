// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/log_lanes.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile {
namespace {

class log_test : public ::testing::Test {
protected:
    ~log_test() override {
        set_log_sink({});
        set_log_level(log_level::warning);
    }

    void collect() {
        set_log_sink([this](log_level level, std::string_view line) {
            lines_.emplace_back(level, std::string{line});
        });
    }

    // Waits until the sink has received all earlier lines.
    static void flush() { EXPECT_TRUE(flush_log(turnstile::testing::limit())); }

    std::vector<std::pair<log_level, std::string>> lines_;
};

TEST_F(log_test, formats_lines_for_the_sink) {
    collect();
    log::write(log_level::error, "session {:#x}: {}", 17, "gone");
    flush();
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(lines_[0].first, log_level::error);
    EXPECT_EQ(lines_[0].second, "session 0x11: gone");
}

// Without escapes, a line break in a contender's label would forge a line of the log.
TEST_F(log_test, gives_the_sink_one_line_without_control_characters) {
    collect();
    log::write(log_level::error, "held by {}", "a\n[error] forged \x1b[2J\u202e");
    flush();
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(lines_[0].second, "held by a\\x0a[error] forged \\x1b[2J\\xe2\\x80\\xae");
}

TEST_F(log_test, drops_lines_below_the_level) {
    collect();
    log::write(log_level::info, "not by default");
    set_log_level(log_level::debug);
    log::write(log_level::debug, "now");
    log::write(log_level::trace, "not yet");
    set_log_level(log_level::off);
    log::write(log_level::error, "no more");
    flush();
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(lines_[0].second, "now");
    EXPECT_FALSE(log::enabled(log_level::error));
}

TEST_F(log_test, survives_a_sink_that_throws_or_logs) {
    int calls = 0;
    set_log_sink([&](log_level, std::string_view) {
        ++calls;
        log::write(log_level::error, "from inside");
        throw 1;
    });
    log::write(log_level::error, "one");
    log::write(log_level::error, "two");
    flush();
    EXPECT_EQ(calls, 2);
}

TEST_F(log_test, uses_the_applications_spdlog_logger_by_default) {
    std::ostringstream out;
    auto logger = std::make_shared<spdlog::logger>(
        "turnstile", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
    logger->set_pattern("%n %l %v");
    spdlog::register_logger(logger);
    log::write(log_level::warning, "careful");
    flush();
    spdlog::drop("turnstile");
    EXPECT_EQ(out.str(), "turnstile warning careful\n");
}

TEST_F(log_test, writes_to_standard_error_without_one) {
    ::testing::internal::CaptureStderr();
    log::write(log_level::warning, "careful");
    flush();
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("[turnstile] [warning] careful"),
              std::string::npos);
}

TEST_F(log_test, a_swap_waits_for_the_sink_that_runs) {
    turnstile::testing::event entered;
    turnstile::testing::event leave;
    std::atomic<bool> running{false};
    set_log_sink([&](log_level, std::string_view) {
        running = true;
        entered.set();
        EXPECT_TRUE(leave.wait());
        running = false;
    });
    log::write(log_level::error, "slow");
    ASSERT_TRUE(entered.wait());
    std::thread helper{[&] { leave.set(); }};
    set_log_sink({});
    EXPECT_FALSE(running);
    helper.join();
}

TEST_F(log_test, calls_to_the_sink_are_serialised) {
    collect();
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i) {
        writers.emplace_back([] {
            for (int n = 0; n < 250; ++n) log::write(log_level::error, "line {}", n);
        });
    }
    for (auto& writer : writers) writer.join();
    flush();
    EXPECT_EQ(lines_.size(), 1000U);
}

TEST_F(log_test, a_sink_that_blocks_holds_up_no_writer_and_is_told_what_was_dropped) {
    turnstile::testing::event entered;
    turnstile::testing::event leave;
    std::vector<std::string> taken;
    set_log_level(log_level::info);
    set_log_sink([&](log_level, std::string_view line) {
        entered.set();
        EXPECT_TRUE(leave.wait());
        taken.emplace_back(line);
    });
    log::write(log_level::info, "it blocks");
    ASSERT_TRUE(entered.wait());
    log::write(log_level::warning, "a loss");
    for (int i = 0; i != 5000; ++i) log::write(log_level::info, "chatter {}", i);
    EXPECT_FALSE(flush_log(std::chrono::milliseconds{0}));
    leave.set();
    flush();
    ASSERT_EQ(taken.size(), 1U + 1U + 1U + log::log_lanes::k_most);
    EXPECT_EQ(taken[0], "it blocks");
    EXPECT_NE(taken[1].find("Lines dropped: 3976; warnings or errors among them: 0"),
              std::string::npos)
        << taken[1];
    EXPECT_EQ(taken[2], "a loss");
    EXPECT_EQ(taken.back(), "chatter 4999");
}

TEST_F(log_test, a_clients_end_waits_once_for_a_sink_that_stands_still) {
    turnstile::testing::event entered;
    turnstile::testing::event leave;
    set_log_sink([&](log_level, std::string_view) {
        entered.set();
        EXPECT_TRUE(leave.wait());
    });
    log::write(log_level::error, "it blocks");
    ASSERT_TRUE(entered.wait());
    for (int i = 0; i != 1000; ++i) log::flush_at_end();
    leave.set();
    flush();
}

}  // namespace
}  // namespace turnstile
