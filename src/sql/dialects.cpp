// SPDX-License-Identifier: Apache-2.0
#include "sql/dialects.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "base/signals.hpp"
#include "base/thread_name.hpp"
#include "turnstile/error.hpp"

#if TURNSTILE_HAS_SQLITE
#include "sql/sqlite_database.hpp"
#endif
#if TURNSTILE_HAS_POSTGRESQL
#include "sql/postgresql_database.hpp"
#endif
#if TURNSTILE_HAS_MARIADB
#include "sql/mariadb_database.hpp"
#endif

namespace turnstile::sql {
namespace {

[[maybe_unused]] constexpr std::chrono::milliseconds k_least_patience{20};
// How long a server is asked what it promises.
[[maybe_unused]] constexpr std::chrono::seconds k_examination{3};

// On a thread with signals blocked. What it throws leaves things as they are: no answer. A want of memory is the caller's.
template <class F>
[[maybe_unused]] void ask_apart(F&& question) {
    bool exhausted = false;
    std::thread asking = [&] {
        const base::block_signals none_here;
        return std::thread{[&] {
            base::name_this_thread("turnstile-ask");
            try {
                question();
            } catch (const std::bad_alloc&) {
                exhausted = true;
            } catch (const std::exception&) {
            }
        }};
    }();
    asking.join();
    if (exhausted) throw std::bad_alloc{};
}

}  // namespace

void check_built(kind which) {
    if (which == kind::sqlite && !TURNSTILE_HAS_SQLITE)
        throw_error({errc::bad_connect_string,
                     "sqlite:: this build has no SQLite back end (TURNSTILE_WITH_SQLITE)"});
    if (which == kind::postgresql && !TURNSTILE_HAS_POSTGRESQL)
        throw_error({errc::bad_connect_string,
                     "postgresql://: this build has no PostgreSQL back end "
                     "(TURNSTILE_WITH_POSTGRESQL)"});
    if (which == kind::mariadb && !TURNSTILE_HAS_MARIADB)
        throw_error({errc::bad_connect_string,
                     "mysql://: this build has no MariaDB back end (TURNSTILE_WITH_MARIADB)"});
}

// A database that does not answer for two thirds of the time-out is given up, as ZooKeeper's clients do: the last
// third is for another connection.
std::unique_ptr<database> make_database(
    const connect_string& where, const core::session_settings& settings,
    [[maybe_unused]] const std::shared_ptr<closing_signal>& closing,
    [[maybe_unused]] const std::shared_ptr<guardian::link>& guardian) {
    [[maybe_unused]] const auto patience =
        std::max(k_least_patience,
                 std::chrono::duration_cast<std::chrono::milliseconds>(settings.timeout * 2 / 3));
    [[maybe_unused]] const auto lacking =
        missing(promises_of(where.kind, durability::not_said), settings.required);
    switch (where.kind) {
        case kind::sqlite:
#if TURNSTILE_HAS_SQLITE
            return std::make_unique<sqlite_database>(sqlite_settings{
                where.target, patience, [closing] { return closing->begun.load(); }, guardian});
#else
            break;
#endif
        case kind::postgresql:
#if TURNSTILE_HAS_POSTGRESQL
            return std::make_unique<postgresql_database>(
                postgresql_settings{where.target, to_string(where), patience, closing, lacking});
#else
            break;
#endif
        case kind::mariadb:
#if TURNSTILE_HAS_MARIADB
            return std::make_unique<mariadb_database>(
                mariadb_settings{parse_mariadb_target(where.target).value(), to_string(where),
                                 patience, closing, lacking});
#else
            break;
#endif
    }
    check_built(where.kind);
    return nullptr;
}

turnstile::promises promises_of(kind which, durability of_commits) noexcept {
    const bool host = which == kind::sqlite;
    const bool keeps = of_commits == durability::each_commit;
    return {.exclusion = keeps ? exclusion_promise::leased : exclusion_promise::best_effort,
            .order = order_promise::arrival,
            .waiting = waiting_promise::notified,
            .failover = failover_promise::none,
            .loss = keeps ? loss_promise::told : loss_promise::none,
            .token = which == kind::mariadb ? token_promise::grows_across_lost_data
                                            : token_promise::grows,
            .writes = write_promise::guarded,
            .crash = host ? crash_promise::at_once : crash_promise::session_timeout,
            .scope = host ? scope_promise::host : scope_promise::server};
}

// A MariaDB server that cannot be asked just now, or that no session could have, is taken for one that may lose what it
// acknowledged. PostgreSQL's sessions see to their own commits, and fsync, which they cannot set, is off only where an
// operator says so: a server that cannot be asked is taken for one that keeps them. What a client requires is judged again
// at each attach. A thread with signals blocked asks, see mariadb_link.hpp.
turnstile::promises promises_at(const connect_string& where) {
    switch (where.kind) {
        case kind::sqlite: return promises_of(where.kind);
        case kind::postgresql: {
            bool keeps_commits = true;
#if TURNSTILE_HAS_POSTGRESQL
            ask_apart([&] {
                postgresql_database asked{{where.target, to_string(where), k_examination,
                                           std::make_shared<closing_signal>()}};
                keeps_commits = asked.keeps_commits();
            });
#endif
            return promises_of(where.kind,
                               keeps_commits ? durability::each_commit : durability::not_said);
        }
        case kind::mariadb: {
            bool keeps_commits = false;
#if TURNSTILE_HAS_MARIADB
            ask_apart([&] {
                mariadb_database asked{{parse_mariadb_target(where.target).value(),
                                        to_string(where), k_examination, nullptr}};
                keeps_commits = asked.examine().keeps_commits;
            });
#endif
            return promises_of(where.kind,
                               keeps_commits ? durability::each_commit : durability::not_said);
        }
    }
    return promises_of(where.kind);
}

}  // namespace turnstile::sql
