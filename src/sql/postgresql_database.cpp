// SPDX-License-Identifier: Apache-2.0
#include "sql/postgresql_database.hpp"

#include <fmt/core.h>
#include <libpq-fe.h>

#include <utility>
#include <vector>

#include "base/never_destroyed.hpp"
#include "sql/stripes.hpp"

namespace turnstile::sql {
namespace {

// The first key of all Turnstile's advisory locks: "turn" in ASCII.
constexpr int k_advisory_class = 0x7475726e;
// An entry of a PostgreSQL index has at most 2,704 bytes.
constexpr std::size_t k_longest_path = 2000;

std::string channel_of(std::int64_t session) {
    return "turnstile_" + std::to_string(session);
}

}  // namespace

postgresql_database::postgresql_database(postgresql_settings settings)
    : settings_{std::move(settings)},
      patience_{settings_.patience, settings_.closing},
      link_{settings_, patience_},
      pipeline_{link_} {}

void postgresql_database::disconnect() noexcept {
    link_.close();
    pipeline_.forget();
}

// ---- transactions -------------------------------------------------------------------------------

void postgresql_database::begin(access how) {
    patience_.begin();
    forget_answers();
    pipeline_.begin();
    post(how == access::write ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                              : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

void postgresql_database::commit(std::span<const std::int64_t> to_wake) {
    for (const std::int64_t session : to_wake)
        post("SELECT pg_notify(?1, '')", {channel_of(session)});
    pipeline_.send_commit();
    answers_.merge(pipeline_.end());
}

bool postgresql_database::rollback() noexcept {
    if (!link_.is_open()) return false;
    try {
        if (pipeline_.is_begun()) pipeline_.abandon();
        if (::PQtransactionStatus(link_.get()) != PQTRANS_IDLE) link_.run("ROLLBACK");
    } catch (const database_error&) {
        disconnect();  // the server rolls back; the next statement finds no connection
    }
    return link_.is_open();
}

// ---- statements ---------------------------------------------------------------------------------

asked_statement postgresql_database::begin_asking(const std::string& statement,
                                                  std::span<const value> arguments) {
    const asked_statement ticket = new_ticket();
    pipeline_.send(statement, arguments, ticket);
    return ticket;
}

void postgresql_database::begin_posting(const std::string& statement,
                                        std::span<const value> arguments) {
    pipeline_.send(statement, arguments, std::nullopt);
}

// While the session connects, it executes statements outside a transaction. Such a statement gets a pipeline for
// itself.
result_rows postgresql_database::execute(const std::string& statement,
                                         std::span<const value> arguments) {
    const bool is_alone = !pipeline_.is_begun();
    if (is_alone) pipeline_.begin();
    const asked_statement ticket = begin_asking(statement, arguments);
    if (is_alone) answers_.merge(pipeline_.end());
    return answer(ticket);
}

result_rows postgresql_database::answer(asked_statement which) {
    if (!answers_.contains(which)) answers_.merge(pipeline_.await(which));
    return database::answer(which);
}

// ---- texts and limits of PostgreSQL -------------------------------------------------------------

const phrases& postgresql_database::words() const noexcept {
    static const phrases& k_words = base::never_destroyed(
        phrases{.now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
                .wall = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
                .among = "= ANY(?1::text[])",
                .among_numbers = "= ANY(?1::bigint[])",
                .keep_session = " FOR KEY SHARE",
                .claim_session = " FOR UPDATE SKIP LOCKED",
                .claim_own = " FOR UPDATE",
                .remove_node = "DELETE FROM turnstile_nodes WHERE path = (SELECT "
                               "path FROM turnstile_nodes WHERE path = ?1 FOR "
                               "UPDATE NOWAIT)",
                .or_stays = " ON CONFLICT DO NOTHING",
                .list_begin = "{",
                .list_end = "}",
                .empty_list = "{}",
                .quoted = in_double_quotes,
                .longest_path = k_longest_path});
    return k_words;
}

// Takes the locks in ascending order of their numbers, so that transactions cannot deadlock.
void postgresql_database::lock(std::span<const std::string> paths, lock_mode mode) {
    const std::vector<std::int64_t> stripes = stripes_of(paths);
    if (stripes.empty()) return;
    const std::string function =
        mode == lock_mode::exclusive ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared";
    post("SELECT count(" + function + "(" + std::to_string(k_advisory_class) +
             ", stripe)) FROM unnest(?1::integer[]) AS stripe",
         {list_of(std::span<const std::int64_t>{stripes})});
}

// The statement has three steps: it updates the session's row, locks the paths, and takes a transaction number from a
// sequence. Each step reads the result of the step before it. So the server locks the paths only if the session has a
// row, and takes the number only after it has the locks. A sequence ignores the snapshot, so the number is larger than
// the number of each transaction that had these locks before.
database::asked_start postgresql_database::ask_to_start(const std::string& assignments,
                                                        const std::string& condition,
                                                        const std::string& answer,
                                                        std::initializer_list<value> arguments,
                                                        std::span<const std::string> paths) {
    const std::vector<std::int64_t> stripes = stripes_of(paths);
    if (stripes.empty())
        return database::ask_to_start(assignments, condition, answer, arguments, paths);
    std::vector<value> all{arguments};
    all.push_back(list_of(std::span<const std::int64_t>{stripes}));
    const std::string text = fmt::format(
        "WITH updated AS (UPDATE turnstile_sessions SET {} WHERE {} RETURNING {} AS told), "
        "locked AS MATERIALIZED (SELECT (SELECT told FROM updated) AS told, "
        "count(pg_advisory_xact_lock({}, stripe)) AS locks FROM unnest(?{}::integer[]) AS stripe "
        "WHERE EXISTS (SELECT 1 FROM updated)) "
        "SELECT told, CASE WHEN locks > 0 THEN nextval('turnstile_number') END FROM locked",
        assignments, condition, answer, k_advisory_class, all.size());
    return {begin_asking(text, all), {}};
}

// ---- bells: messages that wake a session ----------------------------------------------------

void postgresql_database::listen(std::int64_t session) {
    patience_.begin();
    link_.run("LISTEN " + channel_of(session));
}

database::woken postgresql_database::wait(int caller, boottime_clock::time_point until) {
    return link_.wait(caller, until);
}

}  // namespace turnstile::sql
