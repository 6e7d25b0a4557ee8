// SPDX-License-Identifier: Apache-2.0
// The module libturnstile-sqlite: the entry, whose functions the core library calls (modules/entry.hpp), and the
// dialect of SQLite (linked_dialects.hpp).
#include "modules/entry.hpp"
#include "sql/coordinator.hpp"
#include "sql/dialects.hpp"
#include "sql/row_check.hpp"
#include "sql/sqlite_database.hpp"
#include "sql/sqlite_file.hpp"
#include "turnstile/version.hpp"

namespace turnstile::sql {
namespace {

std::unique_ptr<database> make_sqlite(const wanted_database& wanted) {
    return std::make_unique<sqlite_database>(sqlite_settings{
        wanted.where.target, wanted.patience, wanted.session.closing, wanted.session.guardian});
}

constexpr dialect k_sqlite_dialect{
    .make = make_sqlite, .keeps_commits = nullptr, .fault_of = nullptr};

result<file_health> health_of_sqlite_file(std::string_view connect_string) {
    const auto where = parse_connect_string(connect_string);
    if (!where) return where.error();
    auto seen = look_at_sqlite_file(where->target);
    return file_health{std::move(seen.file), seen.exists, std::move(seen.refusals),
                       std::move(seen.danger)};
}

constexpr modules::entry k_sqlite_entry{.version = TURNSTILE_VERSION,
                                        .make = make_servers,
                                        .check_row = check_sqlite_row,
                                        .check_of_script = nullptr,
                                        .look_at_file = health_of_sqlite_file};

}  // namespace

const dialect* sqlite_dialect() noexcept {
    return &k_sqlite_dialect;
}

}  // namespace turnstile::sql

TURNSTILE_MODULE_ENTRY const turnstile::modules::entry* turnstile_module_sqlite(
    const turnstile::modules::host* services) noexcept {
    turnstile::modules::attach(services);
    return &turnstile::sql::k_sqlite_entry;
}
