#include "base/log.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "turnstile/testing/event.hpp"

namespace turnstile {
namespace {

class log_test : public ::testing::Test {
protected:
    ~log_test() override {
        set_log_sink({});
        set_log_level(log_level::warning);
    }

    // Collects what is logged from here on.
    void collect() {
        set_log_sink([this](log_level level, std::string_view line) {
            lines_.emplace_back(level, std::string{line});
        });
    }

    std::vector<std::pair<log_level, std::string>> lines_;
};

TEST_F(log_test, formats_lines_for_the_sink) {
    collect();
    log::write(log_level::error, "session {:#x}: {}", 17, "gone");
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(lines_[0].first, log_level::error);
    EXPECT_EQ(lines_[0].second, "session 0x11: gone");
}

TEST_F(log_test, drops_lines_below_the_level) {
    collect();
    log::write(log_level::info, "not by default");
    set_log_level(log_level::debug);
    log::write(log_level::debug, "now");
    log::write(log_level::trace, "not yet");
    set_log_level(log_level::off);
    log::write(log_level::error, "no more");
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
    EXPECT_EQ(calls, 2);
}

TEST_F(log_test, uses_the_applications_spdlog_logger_by_default) {
    std::ostringstream out;
    auto logger = std::make_shared<spdlog::logger>(
        "turnstile", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
    logger->set_pattern("%n %l %v");
    spdlog::register_logger(logger);
    log::write(log_level::warning, "careful");
    spdlog::drop("turnstile");
    EXPECT_EQ(out.str(), "turnstile warning careful\n");
}

TEST_F(log_test, writes_to_standard_error_without_one) {
    ::testing::internal::CaptureStderr();
    log::write(log_level::warning, "careful");
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
    std::thread writer{[] { log::write(log_level::error, "slow"); }};
    ASSERT_TRUE(entered.wait());
    std::thread helper{[&] { leave.set(); }};
    set_log_sink({});
    EXPECT_FALSE(running);
    helper.join();
    writer.join();
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
    EXPECT_EQ(lines_.size(), 1000U);
}

}  // namespace
}  // namespace turnstile
