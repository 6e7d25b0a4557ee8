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

#include "sql/session.hpp"

namespace turnstile::sql {
namespace {

// Of the advisory locks of a database those with this first number are Turnstile's: "turn" in ASCII.
constexpr int k_advisory_class = 0x7475726e;
constexpr std::uint32_t k_stripes = 1024;
// An index of PostgreSQL's takes entries of up to 2,704 bytes.
constexpr std::size_t k_longest_path = 2000;
constexpr unsigned k_bytea = 17;  // pg_type.h
// The orderly end of a session may take as long while close() waits.
constexpr std::chrono::seconds k_closing{2};

// FNV-1a: the same in every build of every process.
std::uint32_t stripe_of(std::string_view path) noexcept {
    std::uint32_t hash = 2166136261U;
    for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash % k_stripes;
}

std::string channel_of(std::int64_t session) {
    return "turnstile_" + std::to_string(session);
}

failure kind_of(std::string_view state) noexcept {
    if (state == "40001" || state == "40P01") return failure::retry;
    if (state == "55P03") return failure::row_held;
    // Connection exceptions, and those of a server that goes away or is full.
    if (state.starts_with("08") || state.starts_with("57P") || state == "53300" ||
        state == "25P03" || state == "25P02")
        return failure::lost;
    if (state == "28P01" || state == "28000") return failure::refused;
    return failure::fatal;
}

std::string cell_of(const pg_result* r, int i, int column) {
    if (::PQgetisnull(r, i, column) != 0) return {};
    const char* const text = ::PQgetvalue(r, i, column);
    if (::PQftype(r, column) != k_bytea)
        return {text, static_cast<std::size_t>(::PQgetlength(r, i, column))};
    std::size_t size = 0;
    // NOLINTNEXTLINE: libpq takes bytes
    unsigned char* const raw =
        ::PQunescapeBytea(reinterpret_cast<const unsigned char*>(text), &size);
    std::string data{reinterpret_cast<const char*>(raw), size};
    ::PQfreemem(raw);
    return data;
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
}

// ---- transactions -------------------------------------------------------------------------------

void postgresql_database::begin(access how) {
    patient_until_ = boottime_clock::now() + settings_.patience;
    run_text(how == access::write ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                                  : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

// A transaction that had failed is rolled back by COMMIT.
void postgresql_database::commit() {
    const owned_result done = run_text("COMMIT");
    if (std::string_view{::PQcmdStatus(done.get())} != "COMMIT")
        throw database_error{failure::retry, settings_.name + ": the commit became a rollback"};
}

void postgresql_database::rollback() noexcept {
    if (connection_ == nullptr) return;
    try {
        if (::PQtransactionStatus(connection_) != PQTRANS_IDLE) run_text("ROLLBACK");
    } catch (const database_error&) {
        disconnect();  // the server rolls it back; the next statement finds no connection
    }
}

postgresql_database::owned_result postgresql_database::run_text(const std::string& text) {
    if (connection_ == nullptr) lose("there is no connection");
    if (::PQsendQuery(connection_, text.c_str()) == 0) lose(::PQerrorMessage(connection_));
    return await_result();
}

result_rows postgresql_database::execute(const std::string& statement,
                                         std::span<const value> arguments) {
    if (connection_ == nullptr) lose("there is no connection");
    send_prepared(statement, arguments);
    const owned_result r = await_result();
    result_rows out;
    const int columns = ::PQnfields(r.get());
    for (int i = 0; i < ::PQntuples(r.get()); ++i) {
        row& cells = out.rows.emplace_back();
        for (int column = 0; column < columns; ++column)
            cells.push_back(cell_of(r.get(), i, column));
    }
    const char* const affected = ::PQcmdTuples(const_cast<pg_result*>(r.get()));
    if (*affected != '\0') out.affected = to_integer(affected);
    return out;
}

// Statements are parsed and planned once for each connection.
const std::string& postgresql_database::prepare(const std::string& statement) {
    if (const auto known = prepared_.find(statement); known != prepared_.end())
        return known->second;
    std::string text = statement;
    std::replace(text.begin(), text.end(), '?', '$');
    const std::string name = "turnstile_" + std::to_string(prepared_.size());
    if (::PQsendPrepare(connection_, name.c_str(), text.c_str(), 0, nullptr) == 0)
        lose(::PQerrorMessage(connection_));
    await_result();
    return prepared_.emplace(statement, name).first->second;
}

void postgresql_database::send_prepared(const std::string& statement,
                                        std::span<const value> arguments) {
    const std::string& name = prepare(statement);
    std::vector<std::string> texts(arguments.size());
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool binary = std::holds_alternative<bytes>(arguments[i]);
        if (const auto* number = std::get_if<std::int64_t>(&arguments[i]))
            texts[i] = std::to_string(*number);
        if (const auto* text = std::get_if<std::string>(&arguments[i])) texts[i] = *text;
        if (binary) texts[i] = std::get<bytes>(arguments[i]).data;
        values.push_back(texts[i].c_str());
        lengths.push_back(static_cast<int>(texts[i].size()));
        formats.push_back(binary ? 1 : 0);
    }
    if (::PQsendQueryPrepared(connection_, name.c_str(), static_cast<int>(arguments.size()),
                              values.data(), lengths.data(), formats.data(), 0) == 0)
        lose(::PQerrorMessage(connection_));
}

postgresql_database::owned_result postgresql_database::await_result() {
    owned_result last;
    for (;;) {
        int flushed = 0;
        while ((flushed = ::PQflush(connection_)) == 1) {
            await_socket(POLLIN | POLLOUT, patient_until_);
            if (::PQconsumeInput(connection_) == 0) lose(::PQerrorMessage(connection_));
        }
        if (flushed < 0) lose(::PQerrorMessage(connection_));
        while (::PQisBusy(connection_) != 0) {
            await_socket(POLLIN, patient_until_);
            if (::PQconsumeInput(connection_) == 0) lose(::PQerrorMessage(connection_));
        }
        owned_result next{::PQgetResult(connection_)};
        if (!next) break;
        const ExecStatusType status = ::PQresultStatus(next.get());
        const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
        // The first failure is told; those behind it follow from it.
        if (!last || ::PQresultStatus(last.get()) != PGRES_FATAL_ERROR || !good)
            last = std::move(next);
    }
    if (!last) lose("no answer");
    const ExecStatusType status = ::PQresultStatus(last.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(last.get());
    return last;
}

void postgresql_database::await_socket(short events, boottime_clock::time_point until) {
    for (;;) {
        if (settings_.closing->begun.load() && !std::exchange(closing_seen_, true))
            patient_until_ = std::min(patient_until_, boottime_clock::now() + k_closing);
        const auto limit = std::min(until, patient_until_);
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(limit - boottime_clock::now());
        if (left.count() <= 0) lose(fmt::format("no answer for {} ms", settings_.patience.count()));
        const nfds_t count = closing_seen_ ? 1 : 2;
        std::array<pollfd, 2> waited{
            {{::PQsocket(connection_), events, 0}, {settings_.closing->closing.fd(), POLLIN, 0}}};
        const auto ms = static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX));
        ::poll(waited.data(), count, ms);
        if (waited[0].revents != 0) return;
    }
}

void postgresql_database::fail(const pg_result* r) const {
    if (::PQstatus(connection_) == CONNECTION_BAD) lose(::PQresultErrorMessage(r));
    const char* const state = ::PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char* const text = ::PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    throw database_error{kind_of(state == nullptr ? "" : state),
                         fmt::format("{}: {}{}", settings_.name, text == nullptr ? "" : text,
                                     std::string_view{state == nullptr ? "" : state} == "42501"
                                         ? ": this user lacks a right (docs/how-to/postgresql.md)"
                                         : "")};
}

void postgresql_database::lose(const std::string& why) const {
    std::string line = why.substr(0, why.find('\n'));
    throw database_error{failure::lost, settings_.name + ": " + line};
}

// ---- what is said differently -------------------------------------------------------------------

const phrases& postgresql_database::words() const noexcept {
    static const phrases k_words{.now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
                                 .wall = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
                                 .among = "= ANY(?1::text[])",
                                 .among_numbers = "= ANY(?1::bigint[])",
                                 .keep_session = " FOR KEY SHARE",
                                 .claim_session = " FOR UPDATE SKIP LOCKED",
                                 .claim_node = " FOR UPDATE NOWAIT"};
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

// In the order of their numbers: two transactions do not wait for each other in a circle.
void postgresql_database::lock(std::span<const std::string> paths, lock_mode mode) {
    std::set<std::int64_t> stripes;
    for (const std::string& path : paths) stripes.insert(stripe_of(path));
    if (stripes.empty()) return;
    const std::string function =
        mode == lock_mode::exclusive ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared";
    const std::vector<std::int64_t> list{stripes.begin(), stripes.end()};
    run("SELECT count(" + function + "(" + std::to_string(k_advisory_class) +
            ", stripe)) FROM unnest(?1::integer[]) AS stripe",
        {list_of(std::span<const std::int64_t>{list})});
}

std::int64_t postgresql_database::next_number() {
    return to_integer(run("SELECT nextval('turnstile_number')").rows.front().front());
}

// ---- what wakes a session -----------------------------------------------------------------------

void postgresql_database::listen(std::int64_t session) {
    patient_until_ = boottime_clock::now() + settings_.patience;
    run_text("LISTEN " + channel_of(session));
}

void postgresql_database::ring(std::span<const std::int64_t> sessions) {
    for (const std::int64_t session : sessions)
        run("SELECT pg_notify(?1, '')", {channel_of(session)});
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
    // Bells that came with an answer are here already.
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
