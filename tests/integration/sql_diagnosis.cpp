// SPDX-License-Identifier: Apache-2.0
#include "sql/coordinator.hpp"
#include "sql_backend.hpp"

namespace turnstile::tests {

std::string diagnosis_of(const std::string& where) {
    struct silent final : core::session_sink {
        void deliver(core::coordinator_event&&) noexcept override {}
    } sink;
    const auto servers = sql::make_coordinator(where);
    core::session_settings settings;
    settings.timeout = 60s;
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
