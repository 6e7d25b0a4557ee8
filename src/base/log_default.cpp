// SPDX-License-Identifier: Apache-2.0
#include "base/log_default.hpp"

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

std::shared_ptr<spdlog::logger> make_own() {
    auto logger = std::make_shared<spdlog::logger>(
        "turnstile", std::make_shared<spdlog::sinks::stderr_sink_st>());
    logger->set_level(spdlog::level::trace);  // the level was checked before
    return logger;
}

}  // namespace

void spdlog_writer::make_registry() {
    static_cast<void>(spdlog::details::registry::instance());
}

spdlog_writer::spdlog_writer(bool look_up) : look_up_{look_up}, own_{make_own()} {}

void spdlog_writer::write(const waiting_line& line) {
    const auto registered = look_up_ ? spdlog::get("turnstile") : nullptr;
    (registered ? registered : own_)
        ->log(line.at, spdlog::source_loc{}, to_spdlog(line.level),
              spdlog::string_view_t{line.text.data(), line.text.size()});
}

}  // namespace turnstile::log
