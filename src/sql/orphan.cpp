// SPDX-License-Identifier: Apache-2.0
#include "sql/orphan.hpp"

#include <charconv>
#include <exception>
#include <new>

#include "base/latest_failure.hpp"
#include "sql/connect_string.hpp"
#include "sql/dialects.hpp"
#include "sql/store.hpp"
#include "turnstile/error.hpp"

namespace turnstile::sql {

// The dead process may have a transaction in progress, which has locked the session's row. The removal of the row waits
// for that transaction. Later transactions of the dead process find no row, and change nothing.
result<void> end_orphan(const modules::orphaned_session& which, core::time_point until) {
    const auto where = parse_connect_string(which.connect_string);
    if (!where) return where.error();
    std::int64_t attachment = 0;
    const char* const last = which.proof.data() + which.proof.size();
    const auto parsed = std::from_chars(which.proof.data(), last, attachment);
    if (parsed.ec != std::errc{} || parsed.ptr != last)
        return error{errc::bad_option, "the secret of the session is no number"};
    core::session_settings settings;
    settings.timeout = std::max<core::duration>(until - boottime_clock::now(), {});
    try {
        const session_links alone{std::make_shared<closing_signal>(),
                                  std::make_shared<base::latest_failure>(), nullptr};
        const auto db = make_database(*where, settings, alone);
        db->connect();
        const auto found = store{*db, {}, {which.id, attachment, true}}.close();
        db->disconnect();
        if (found != close_outcome::held) return {};
        return error{errc::not_connected,
                     "a transaction of another program locks a row of the session"};
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& failure) {
        return error{errc::not_connected, failure.what()};
    }
}

}  // namespace turnstile::sql
