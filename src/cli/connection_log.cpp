// SPDX-License-Identifier: Apache-2.0
#include "cli/connection_log.hpp"

#include <mutex>

#include "cli/failure_reason.hpp"
#include "turnstile/log.hpp"

namespace turnstile::cli {
namespace {

// For lines that are under way to the sink.
constexpr std::chrono::milliseconds k_flush_limit{1'000};

}  // namespace

struct connection_log::shared_reason {
    std::mutex mutex{};
    failure_reason value{};
};

connection_log::connection_log() : reason_{std::make_shared<shared_reason>()} {
    set_log_sink([reason = reason_](log_level level, std::string_view line) {
        const std::scoped_lock lock{reason->mutex};
        reason->value.hear(level, line);
    });
    set_log_level(failure_reason::k_level);
}

connection_log::~connection_log() {
    set_log_level(log_level::off);
    set_log_sink({});
}

result<void> connection_log::wait_connected(client& servers, std::chrono::milliseconds patience) {
    const auto connected = servers.wait_connected(patience);
    set_log_level(log_level::off);
    if (connected) return {};
    flush_log(k_flush_limit);
    const std::scoped_lock lock{reason_->mutex};
    return reason_->value.explain(connected.error());
}

}  // namespace turnstile::cli
