// SPDX-License-Identifier: Apache-2.0
// The module libturnstile-mariadb: the entry, whose functions the core library calls (modules/entry.hpp), and the
// dialect of MariaDB (linked_dialects.hpp).
#include "modules/entry.hpp"
#include "sql/coordinator.hpp"
#include "sql/dialects.hpp"
#include "sql/mariadb_database.hpp"
#include "sql/orphan.hpp"
#include "sql/row_check.hpp"
#include "turnstile/version.hpp"

namespace turnstile::sql {
namespace {

std::unique_ptr<database> make_mariadb(const wanted_database& wanted) {
    return std::make_unique<mariadb_database>(mariadb_settings{
        parse_mariadb_target(wanted.where.target).value(), to_string(wanted.where), wanted.patience,
        wanted.session.closing, wanted.lacking, wanted.session.failures});
}

// Returns false also if the server cannot be reached or is unsuitable.
bool mariadb_keeps_commits(const database_address& where) {
    return ask_apart(false, [&] {
        mariadb_database asked{
            {parse_mariadb_target(where.target).value(), to_string(where), k_examination, nullptr}};
        return asked.examine().keeps_commits;
    });
}

constexpr dialect k_mariadb_dialect{
    .make = make_mariadb, .keeps_commits = mariadb_keeps_commits, .fault_of = nullptr};

constexpr modules::entry k_mariadb_entry{.version = TURNSTILE_VERSION,
                                         .make = make_servers,
                                         .check_row = check_mariadb_row,
                                         .check_of_script = nullptr,
                                         .look_at_file = nullptr,
                                         .end_session = end_orphan};

}  // namespace

const dialect* mariadb_dialect() noexcept {
    return &k_mariadb_dialect;
}

}  // namespace turnstile::sql

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_mariadb(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::sql::k_mariadb_entry;
}
