// SPDX-License-Identifier: Apache-2.0
// The module libturnstile-postgresql: the entry, whose functions the core library calls (modules/entry.hpp), and the
// dialect of PostgreSQL (linked_dialects.hpp).
#include "modules/entry.hpp"
#include "sql/coordinator.hpp"
#include "sql/dialects.hpp"
#include "sql/orphan.hpp"
#include "sql/postgresql_database.hpp"
#include "sql/postgresql_uri.hpp"
#include "sql/row_check.hpp"
#include "turnstile/version.hpp"

namespace turnstile::sql {
namespace {

std::unique_ptr<database> make_postgresql(const wanted_database& wanted) {
    return std::make_unique<postgresql_database>(
        postgresql_settings{wanted.where.target, to_string(wanted.where), wanted.patience,
                            wanted.session.closing, wanted.lacking, wanted.session.failures});
}

// Returns true also if the server cannot be reached: each session makes its own commits durable, and only an operator
// can disable that (fsync). Each connect of a session checks the required promises (guarantees) again.
bool postgresql_keeps_commits(const database_address& where) {
    return ask_apart(true, [&] {
        postgresql_database asked{
            {where.target, to_string(where), k_examination, std::make_shared<closing_signal>()}};
        return asked.keeps_commits();
    });
}

constexpr dialect k_postgresql_dialect{.make = make_postgresql,
                                       .keeps_commits = postgresql_keeps_commits,
                                       .fault_of = fault_of_postgresql};

constexpr modules::entry k_postgresql_entry{.version = TURNSTILE_VERSION,
                                            .make = make_servers,
                                            .check_row = check_postgresql_row,
                                            .check_of_script = nullptr,
                                            .look_at_file = nullptr,
                                            .end_session = end_orphan};

}  // namespace

const dialect* postgresql_dialect() noexcept {
    return &k_postgresql_dialect;
}

}  // namespace turnstile::sql

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_postgresql(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::sql::k_postgresql_entry;
}
