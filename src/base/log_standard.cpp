// SPDX-License-Identifier: Apache-2.0
#include "base/log_standard.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace turnstile::log {
namespace {

std::string_view word_of_level(log_level level) noexcept {
    switch (level) {
        case log_level::trace: return "trace";
        case log_level::debug: return "debug";
        case log_level::info: return "info";
        case log_level::warning: return "warning";
        case log_level::error: return "error";
        case log_level::off: break;
    }
    return "off";
}

// ---- local time ------------------------------------------------------------------------------
// The C library's conversions of time take a lock that stays locked in a forked child if another thread was in a
// conversion (glibc bug 16145). The child's next conversion would then wait for ever. So a child uses its parent's
// offset from UTC.

std::atomic<long> utc_offset{0};  // in seconds
std::atomic<bool> is_child{false};

void look_up_offset(std::time_t now) noexcept {
    std::tm local{};
    if (!is_child && ::localtime_r(&now, &local) != nullptr) utc_offset = local.tm_gmtoff;
}

// Returns "[2026-11-23 03:14:07.123] [turnstile] [warning] text", the form of spdlog's own lines.
std::string printed_line(const waiting_line& line) {
    using namespace std::chrono;
    const auto local = floor<milliseconds>(line.at) + seconds{utc_offset};
    const auto day = floor<days>(local);
    const year_month_day date{day};
    const hh_mm_ss time{local - day};
    return fmt::format("[{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}] [turnstile] [{}] {}\n",
                       static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count(), time.subseconds().count(),
                       word_of_level(line.level), line.text);
}

// Does not use the stream stderr: a write to a full pipe without a reader would wait and keep the stream locked, and
// exit() would wait for this lock when it flushes the standard streams.
void write_to_stderr(std::string_view text) noexcept {
    while (!text.empty()) {
        const auto written = ::write(::fileno(stderr), text.data(), text.size());
        if (written > 0)
            text.remove_prefix(static_cast<std::size_t>(written));
        else if (written == 0 || errno != EINTR)
            return;
    }
}

}  // namespace

void standard_writer::prepare() {
    make_spdlog_registry();
    look_up_offset(::time(nullptr));
}

void standard_writer::in_child() noexcept {
    is_child = true;
}

void standard_writer::write(const waiting_line& line) {
    if (look_up_ && write_to_spdlog(line)) return;
    look_up_offset(std::chrono::system_clock::to_time_t(line.at));
    write_to_stderr(printed_line(line));
}

}  // namespace turnstile::log
