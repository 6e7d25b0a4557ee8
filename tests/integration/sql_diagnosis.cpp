// SPDX-License-Identifier: Apache-2.0
#include "sql/coordinator.hpp"
#include "sql_backend.hpp"

namespace turnstile::tests {

std::string diagnosis_of(const std::string& where, std::chrono::milliseconds timeout) {
    struct silent final : core::session_sink {
        void deliver(core::coordinator_event&&) noexcept override {}
    } sink;
    const auto servers = sql::make_coordinator(where);
    core::session_settings settings;
    settings.timeout = timeout;
    const auto session = servers->open(settings, sink);
    std::string said;
    EXPECT_TRUE(eventually([&] {
        const auto failed = servers->last_failure();
        said = failed ? failed->detail() : "";
        return failed.has_value();
    }));
    session->close();
    return said;
}

}  // namespace turnstile::tests
