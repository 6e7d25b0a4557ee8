// SPDX-License-Identifier: Apache-2.0
#include "base/log_default.hpp"

#include <time.h>

#include <atomic>
#include <chrono>
#include <iterator>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace turnstile::log {
namespace {

spdlog::level::level_enum to_spdlog(log_level level) noexcept {
    switch (level) {
        case log_level::trace: return spdlog::level::trace;
        case log_level::debug: return spdlog::level::debug;
        case log_level::info: return spdlog::level::info;
        case log_level::warning: return spdlog::level::warn;
        case log_level::error: return spdlog::level::err;
        case log_level::off: break;
    }
    return spdlog::level::off;
}

// ---- local time ------------------------------------------------------------------------------
// The C library's conversions take a lock that fork() leaves as it is (glibc bug 16145): where another thread was in
// one of them, the next one in the child waits for ever. So a child goes on with its parent's offset from UTC.

std::atomic<long> utc_offset{0};  // in seconds
std::atomic<bool> is_child{false};

void look_up_offset(std::time_t now) noexcept {
    std::tm local{};
    if (!is_child && ::localtime_r(&now, &local) != nullptr) utc_offset = local.tm_gmtoff;
}

// "[2026-11-23 03:14:07.123] [turnstile] [warning] text", as spdlog's own formatter has it.
class line_formatter : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& text) override {
        using namespace std::chrono;
        const auto minute = floor<minutes>(line.time);
        if (minute != looked_up_) look_up_offset(system_clock::to_time_t(line.time));
        looked_up_ = minute;
        const auto local = floor<milliseconds>(line.time) + seconds{utc_offset};
        const auto day = floor<days>(local);
        const year_month_day date{day};
        const hh_mm_ss time{local - day};
        const auto level = spdlog::level::to_string_view(line.level);
        fmt::format_to(std::back_inserter(text),
                       "[{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}] [{}] [{}] {}\n",
                       static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count(), time.subseconds().count(),
                       line.logger_name, level, line.payload);
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<line_formatter>();
    }

private:
    std::chrono::time_point<std::chrono::system_clock, std::chrono::minutes> looked_up_{};
};

std::shared_ptr<spdlog::logger> make_own() {
    auto logger = std::make_shared<spdlog::logger>(
        "turnstile", std::make_shared<spdlog::sinks::stderr_sink_st>());
    logger->set_formatter(std::make_unique<line_formatter>());
    logger->set_level(spdlog::level::trace);  // the level was checked before
    return logger;
}

}  // namespace

void spdlog_writer::prepare() {
    static_cast<void>(spdlog::details::registry::instance());
    look_up_offset(::time(nullptr));
}

void spdlog_writer::in_child() noexcept {
    is_child = true;
}

spdlog_writer::spdlog_writer(bool look_up) : look_up_{look_up}, own_{make_own()} {}

void spdlog_writer::write(const waiting_line& line) {
    const auto registered = look_up_ ? spdlog::get("turnstile") : nullptr;
    (registered ? registered : own_)
        ->log(line.at, spdlog::source_loc{}, to_spdlog(line.level),
              spdlog::string_view_t{line.text.data(), line.text.size()});
}

}  // namespace turnstile::log
