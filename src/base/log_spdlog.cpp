// SPDX-License-Identifier: Apache-2.0
#include "base/log_standard.hpp"

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

}  // namespace

void make_spdlog_registry() {
    static_cast<void>(spdlog::details::registry::instance());
}

bool write_to_spdlog(const waiting_line& line) {
    const auto logger = spdlog::get("turnstile");
    if (!logger) return false;
    logger->log(line.at, spdlog::source_loc{}, to_spdlog(line.level),
                spdlog::string_view_t{line.text.data(), line.text.size()});
    return true;
}

}  // namespace turnstile::log
