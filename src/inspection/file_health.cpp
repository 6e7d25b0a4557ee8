// SPDX-License-Identifier: Apache-2.0
#include "turnstile/file_health.hpp"

#include <utility>

#include "base/masked.hpp"
#ifdef TURNSTILE_WITH_SQLITE
#include "sql/connect_string.hpp"
#include "sql/sqlite_file.hpp"
#endif

namespace turnstile {

result<file_health> health_of_file(std::string_view connect_string) {
    if (!connect_string.starts_with("sqlite:"))
        return error{errc::bad_connect_string,
                     "'" + base::masked(connect_string) + "': names no file; sqlite:/path does"};
#ifdef TURNSTILE_WITH_SQLITE
    const auto where = sql::parse_connect_string(connect_string);
    if (!where) return where.error();
    auto seen = sql::look_at_sqlite_file(where->target);
    return file_health{std::move(seen.file), seen.exists, std::move(seen.refusals),
                       std::move(seen.danger)};
#else
    return error{errc::bad_connect_string,
                 "sqlite: this build has no SQLite back end (TURNSTILE_WITH_SQLITE)"};
#endif
}

}  // namespace turnstile
