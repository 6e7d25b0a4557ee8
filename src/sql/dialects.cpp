// SPDX-License-Identifier: Apache-2.0
#include "sql/dialects.hpp"

#include <algorithm>
#include <chrono>

#include "sql/session.hpp"
#include "turnstile/error.hpp"

#if TURNSTILE_HAS_SQLITE
#include "sql/sqlite_database.hpp"
#endif
#if TURNSTILE_HAS_POSTGRESQL
#include "sql/postgresql_database.hpp"
#endif

namespace turnstile::sql {
namespace {

[[maybe_unused]] constexpr std::chrono::milliseconds k_least_patience{20};

}  // namespace

void check_built(kind which) {
    if (which == kind::sqlite && !TURNSTILE_HAS_SQLITE)
        throw_error({errc::bad_connect_string,
                     "sqlite:: this build has no SQLite back end (TURNSTILE_WITH_SQLITE)"});
    if (which == kind::postgresql && !TURNSTILE_HAS_POSTGRESQL)
        throw_error({errc::bad_connect_string,
                     "postgresql://: this build has no PostgreSQL back end "
                     "(TURNSTILE_WITH_POSTGRESQL)"});
}

// A database that does not answer for two thirds of the time-out is given up, as ZooKeeper's clients do: the last
// third is for another connection.
std::unique_ptr<database> make_database(
    const connect_string& where, const core::session_settings& settings,
    [[maybe_unused]] const std::shared_ptr<closing_signal>& closing) {
    [[maybe_unused]] const auto patience =
        std::max(k_least_patience,
                 std::chrono::duration_cast<std::chrono::milliseconds>(settings.timeout * 2 / 3));
    switch (where.kind) {
        case kind::sqlite:
#if TURNSTILE_HAS_SQLITE
            return std::make_unique<sqlite_database>(sqlite_settings{
                where.target, patience, [closing] { return closing->begun.load(); }});
#else
            break;
#endif
        case kind::postgresql:
#if TURNSTILE_HAS_POSTGRESQL
            return std::make_unique<postgresql_database>(
                postgresql_settings{where.target, to_string(where), patience, closing});
#else
            break;
#endif
    }
    check_built(where.kind);
    return nullptr;
}

turnstile::promises promises_of(kind which) noexcept {
    const bool host = which == kind::sqlite;
    return {.exclusion = exclusion_promise::leased,
            .order = order_promise::arrival,
            .waiting = waiting_promise::notified,
            .failover = failover_promise::none,
            .loss = loss_promise::told,
            .token = token_promise::grows,
            .writes = write_promise::guarded,
            .crash = host ? crash_promise::at_once : crash_promise::session_timeout,
            .scope = host ? scope_promise::host : scope_promise::server};
}

}  // namespace turnstile::sql
