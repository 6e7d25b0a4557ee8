// SPDX-License-Identifier: Apache-2.0
#include "sql/postgresql_database.hpp"

#include <fmt/core.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <climits>
#include <set>
#include <string_view>
#include <utility>

#include "base/never_destroyed.hpp"
#include "sql/stripes.hpp"

namespace turnstile::sql {
namespace {

// The first number of Turnstile's advisory locks: "turn" in ASCII.
constexpr int k_advisory_class = 0x7475726e;
// An entry of a PostgreSQL index has at most 2,704 bytes.
constexpr std::size_t k_longest_path = 2000;

std::string channel_of(std::int64_t session) {
    return "turnstile_" + std::to_string(session);
}

failure kind_of(std::string_view state) noexcept {
    if (state == "40001" || state == "40P01" || state == "23505") return failure::retry;
    if (state == "55P03") return failure::row_held;
    // Connection exceptions, and the errors of a server that shuts down or has no free connection.
    if (state.starts_with("08") || state.starts_with("57P") || state == "53300" ||
        state == "25P03" || state == "25P02")
        return failure::lost;
    if (state == "28P01" || state == "28000") return failure::refused;
    return failure::fatal;
}

}  // namespace

void postgresql_database::result_end::operator()(pg_result* r) const noexcept {
    ::PQclear(r);
}

postgresql_database::postgresql_database(postgresql_settings settings)
    : settings_{std::move(settings)} {}

postgresql_database::~postgresql_database() {
    postgresql_database::disconnect();
}

void postgresql_database::disconnect() noexcept {
    ::PQfinish(connection_);
    connection_ = nullptr;
    prepared_.clear();
    awaited_.clear();
    in_pipeline_ = false;
}

postgresql_database::owned_result postgresql_database::run_text(const std::string& text) {
    if (connection_ == nullptr) lose("there is no connection");
    if (::PQsendQuery(connection_, text.c_str()) == 0) lose(::PQerrorMessage(connection_));
    return await_result();
}

postgresql_database::owned_result postgresql_database::await_result() {
    owned_result last;
    for (;;) {
        owned_result next = next_result();
        if (!next) break;
        const ExecStatusType status = ::PQresultStatus(next.get());
        const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
        // Reports the first failure: the later failures are its consequences.
        if (!last || ::PQresultStatus(last.get()) != PGRES_FATAL_ERROR || !good)
            last = std::move(next);
    }
    if (!last) lose("no answer");
    const ExecStatusType status = ::PQresultStatus(last.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(last.get());
    return last;
}

void postgresql_database::begin_patience() {
    patient_until_ = boottime_clock::now() + settings_.patience;
    if (closing_until_) patient_until_ = std::min(patient_until_, *closing_until_);
}

void postgresql_database::await_socket(short events, boottime_clock::time_point until) {
    for (;;) {
        if (settings_.closing->begun.load() && !closing_until_) {
            closing_until_ = boottime_clock::now() + time_to_close(*settings_.closing);
            patient_until_ = std::min(patient_until_, *closing_until_);
        }
        const auto limit = std::min(until, patient_until_);
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(limit - boottime_clock::now());
        if (left.count() <= 0) lose(fmt::format("no answer for {} ms", settings_.patience.count()));
        const nfds_t count = closing_until_ ? 1 : 2;
        std::array<pollfd, 2> waited{
            {{::PQsocket(connection_), events, 0}, {settings_.closing->closing.fd(), POLLIN, 0}}};
        const auto ms = static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX));
        ::poll(waited.data(), count, ms);
        if (waited[0].revents != 0) return;
    }
}

// If the server does not know a prepared statement, or knows it already, a pool has given this session a server process
// that another session uses.
void postgresql_database::fail(const pg_result* r) {
    if (::PQstatus(connection_) == CONNECTION_BAD) lose(::PQresultErrorMessage(r));
    const char* const state = ::PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char* const text = ::PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    const std::string_view code{state == nullptr ? "" : state};
    std::string_view hint;
    if (code == "42501") hint = ": this user lacks a right (docs/how-to/postgresql.md)";
    if (code == "26000" || code == "42P05") {
        has_own_process_ = false;
        hint =
            ": other clients use this connection's server process, too (docs/how-to/postgresql.md, "
            "PgBouncer)";
    }
    throw database_error{
        kind_of(code), fmt::format("{}: {}{}", settings_.name, text == nullptr ? "" : text, hint)};
}

void postgresql_database::lose(const std::string& why) const {
    std::string line = why.substr(0, why.find('\n'));
    throw database_error{failure::lost, settings_.name + ": " + line};
}

// ---- texts and limits of PostgreSQL -------------------------------------------------------------

const phrases& postgresql_database::words() const noexcept {
    static const phrases& k_words = base::never_destroyed(
        phrases{.now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
                .wall = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
                .listed = "",
                .among = "= ANY(?1::text[])",
                .among_numbers = "= ANY(?1::bigint[])",
                .keep_session = " FOR KEY SHARE",
                .claim_session = " FOR UPDATE SKIP LOCKED",
                .claim_own = " FOR UPDATE",
                .remove_node = "DELETE FROM turnstile_nodes WHERE path = (SELECT "
                               "path FROM turnstile_nodes WHERE path = ?1 FOR "
                               "UPDATE NOWAIT)",
                .inserting = "",
                .or_stays = " ON CONFLICT DO NOTHING"});
    return k_words;
}

value postgresql_database::list_of(std::span<const std::string> items) const {
    std::string list = "{";
    for (const std::string& item : items) {
        if (list.size() > 1) list += ',';
        list += '"';
        for (const char c : item) {
            if (c == '"' || c == '\\') list += '\\';
            list += c;
        }
        list += '"';
    }
    return list + "}";
}

value postgresql_database::list_of(std::span<const std::int64_t> items) const {
    std::string list = "{";
    for (const std::int64_t item : items)
        list += (list.size() > 1 ? "," : "") + std::to_string(item);
    return list + "}";
}

std::size_t postgresql_database::longest_path() const noexcept {
    return k_longest_path;
}

// Locks in ascending order of the numbers, so that two transactions do not wait for each other in a cycle.
void postgresql_database::lock(std::span<const std::string> paths, lock_mode mode) {
    const std::set<std::int64_t> stripes = stripes_of(paths);
    if (stripes.empty()) return;
    const std::string function =
        mode == lock_mode::exclusive ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared";
    const std::vector<std::int64_t> list{stripes.begin(), stripes.end()};
    post("SELECT count(" + function + "(" + std::to_string(k_advisory_class) +
             ", stripe)) FROM unnest(?1::integer[]) AS stripe",
         {list_of(std::span<const std::int64_t>{list})});
}

// Each step of the statement needs the result of the step before. The server locks the paths only if the session has a
// row, and takes a number only after it has locked the paths. A sequence is not part of a snapshot, so the number is
// newer than the locks.
database::asked_start postgresql_database::ask_to_start(const std::string& assignments,
                                                        const std::string& condition,
                                                        const std::string& answer,
                                                        std::initializer_list<value> arguments,
                                                        std::span<const std::string> paths) {
    const std::set<std::int64_t> stripes = stripes_of(paths);
    if (stripes.empty())
        return database::ask_to_start(assignments, condition, answer, arguments, paths);
    const std::vector<std::int64_t> list{stripes.begin(), stripes.end()};
    std::vector<value> all{arguments};
    all.push_back(list_of(std::span<const std::int64_t>{list}));
    const std::string text = fmt::format(
        "WITH updated AS (UPDATE turnstile_sessions SET {} WHERE {} RETURNING {} AS told), "
        "locked AS MATERIALIZED (SELECT (SELECT told FROM updated) AS told, "
        "count(pg_advisory_xact_lock({}, stripe)) AS locks FROM unnest(?{}::integer[]) AS stripe "
        "WHERE EXISTS (SELECT 1 FROM updated)) "
        "SELECT told, CASE WHEN locks > 0 THEN nextval('turnstile_number') END FROM locked",
        assignments, condition, answer, k_advisory_class, all.size());
    return {begin_asking(text, all), {}};
}

// ---- bells --------------------------------------------------------------------------------------

void postgresql_database::listen(std::int64_t session) {
    begin_patience();
    run_text("LISTEN " + channel_of(session));
}

void postgresql_database::ring(std::span<const std::int64_t> sessions) {
    for (const std::int64_t session : sessions)
        post("SELECT pg_notify(?1, '')", {channel_of(session)});
}

database::woken postgresql_database::wait(int caller, boottime_clock::time_point until) {
    const auto take_bells = [this] {
        bool rung = false;
        while (PGnotify* const bell = ::PQnotifies(connection_)) {
            rung = true;
            ::PQfreemem(bell);
        }
        return rung;
    };
    // A bell may have come with an earlier answer.
    if (connection_ != nullptr && take_bells()) return woken::by_bell;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - boottime_clock::now());
    const auto ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
    std::array<pollfd, 2> waited{
        {{caller, POLLIN, 0}, {connection_ != nullptr ? ::PQsocket(connection_) : -1, POLLIN, 0}}};
    ::poll(waited.data(), waited.size(), ms);
    if (waited[1].revents != 0) {
        if (::PQconsumeInput(connection_) == 0) lose(::PQerrorMessage(connection_));
        if (take_bells()) return woken::by_bell;
    }
    return waited[0].revents != 0 ? woken::by_caller : woken::by_time;
}

}  // namespace turnstile::sql
