// SPDX-License-Identifier: Apache-2.0
// Tests the log of a build without spdlog. This program links log_spdlog_absent.cpp in place of log_spdlog.cpp.
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "base/log.hpp"
#include "turnstile/log.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile {
namespace {

using ::testing::HasSubstr;

TEST(log_without_spdlog, writes_to_standard_error_whatever_is_registered) {
    std::ostringstream out;
    spdlog::register_logger(std::make_shared<spdlog::logger>(
        "turnstile", std::make_shared<spdlog::sinks::ostream_sink_mt>(out)));
    ::testing::internal::CaptureStderr();
    log::write(log_level::warning, "careful");
    EXPECT_TRUE(flush_log(turnstile::testing::limit()));
    spdlog::drop("turnstile");
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("[turnstile] [warning] careful"));
    EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace turnstile
