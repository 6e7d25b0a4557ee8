// SPDX-License-Identifier: Apache-2.0
// The part of postgresql_database that executes transactions, whose statements it sends together.
#include <fmt/core.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/postgresql_database.hpp"

namespace turnstile::sql {
namespace {

constexpr unsigned k_bytea = 17;  // pg_type.h

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

result_rows rows_of(const pg_result* r) {
    result_rows out;
    const int columns = ::PQnfields(r);
    for (int i = 0; i < ::PQntuples(r); ++i) {
        row& cells = out.rows.emplace_back();
        for (int column = 0; column < columns; ++column) cells.push_back(cell_of(r, i, column));
    }
    const char* const affected = ::PQcmdTuples(const_cast<pg_result*>(r));
    if (*affected != '\0') out.affected = to_integer(affected);
    return out;
}

}  // namespace

void postgresql_database::begin(access how) {
    if (connection_ == nullptr) lose("there is no connection");
    begin_patience();
    forget_answers();
    if (::PQenterPipelineMode(connection_) == 0) lose(::PQerrorMessage(connection_));
    in_pipeline_ = true;
    ending_ = false;
    post(how == access::write ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                              : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

// If the transaction has failed, COMMIT rolls it back.
void postgresql_database::commit() {
    require_transaction();
    send("COMMIT", {}, {awaited::purpose::commit, {}, {}});
    end_pipeline();
}

bool postgresql_database::rollback() noexcept {
    if (connection_ == nullptr) return false;
    try {
        if (in_pipeline_) abandon_pipeline();
        if (::PQtransactionStatus(connection_) != PQTRANS_IDLE) run_text("ROLLBACK");
    } catch (const database_error&) {
        disconnect();  // the server rolls back; the next statement finds no connection
    }
    return connection_ != nullptr;
}

// ---- sending ------------------------------------------------------------------------------------

void postgresql_database::require_transaction() const {
    if (connection_ == nullptr || !in_pipeline_) lose("there is no connection");
}

asked_statement postgresql_database::begin_asking(const std::string& statement,
                                                  std::span<const value> arguments) {
    require_transaction();
    const asked_statement ticket = new_ticket();
    send(statement, arguments, {awaited::purpose::statement, {}, ticket});
    return ticket;
}

void postgresql_database::begin_posting(const std::string& statement,
                                        std::span<const value> arguments) {
    require_transaction();
    send(statement, arguments, {awaited::purpose::statement, {}, {}});
}

result_rows postgresql_database::execute(const std::string& statement,
                                         std::span<const value> arguments) {
    if (in_pipeline_) return answer(begin_asking(statement, arguments));
    // A statement outside a transaction, while the session connects, gets a pipeline for itself.
    if (connection_ == nullptr) lose("there is no connection");
    if (::PQenterPipelineMode(connection_) == 0) lose(::PQerrorMessage(connection_));
    in_pipeline_ = true;
    ending_ = false;
    const asked_statement ticket = begin_asking(statement, arguments);
    end_pipeline();
    return database::answer(ticket);
}

// Prepares each statement once for a connection, so that the server parses and plans it only once.
const std::string& postgresql_database::prepare(const std::string& statement) {
    if (const auto known = prepared_.find(statement); known != prepared_.end())
        return known->second;
    std::string text = statement;
    std::replace(text.begin(), text.end(), '?', '$');
    // The name differs from the names in all other sessions, because a pool may give this server process to other
    // sessions (postgresql_pool.cpp).
    const std::string name = fmt::format("turnstile_{}_{}", ::PQbackendPID(connection_), ++names_);
    if (::PQsendPrepare(connection_, name.c_str(), text.c_str(), 0, nullptr) == 0)
        lose(::PQerrorMessage(connection_));
    awaited_.push_back({awaited::purpose::preparation, statement, {}});
    return prepared_.emplace(statement, name).first->second;
}

void postgresql_database::send(const std::string& statement, std::span<const value> arguments,
                               awaited&& expected) {
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
    awaited_.push_back(std::move(expected));
}

// ---- answers ------------------------------------------------------------------------------------

result_rows postgresql_database::answer(asked_statement which) {
    if (answers_.contains(which)) return database::answer(which);
    require_transaction();
    sync_pipeline();
    while (!answers_.contains(which) && !awaited_.empty()) take_next();
    return database::answer(which);
}

// Sends a sync at the end of each round trip, also inside a transaction. A request to flush would not be enough: the
// server counts the connection as idle in a transaction only after a sync, and only then
// idle_in_transaction_session_timeout ends the transaction of a process that is stopped.
void postgresql_database::sync_pipeline() {
    if (::PQpipelineSync(connection_) == 0) lose(::PQerrorMessage(connection_));
    awaited_.push_back({awaited::purpose::sync, {}, {}});
}

void postgresql_database::take_sync() {
    const owned_result sync = next_result();
    if (!sync || ::PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) lose("no answer");
    awaited_.pop_front();
}

void postgresql_database::take_next() {
    if (awaited_.front().kind == awaited::purpose::sync) return take_sync();
    const owned_result first = next_result();
    if (!first) lose("no answer");
    if (::PQstatus(connection_) == CONNECTION_BAD) fail(first.get());
    const awaited answered = std::move(awaited_.front());
    awaited_.pop_front();
    // A null result ends the answers to this statement.
    while (const owned_result more = next_result()) {
    }
    take(answered, first.get());
}

void postgresql_database::take(const awaited& answered, const pg_result* r) {
    const ExecStatusType status = ::PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        if (answered.kind == awaited::purpose::preparation) prepared_.erase(answered.text);
        fail(r);
    }
    if (answered.kind == awaited::purpose::commit &&
        std::string_view{::PQcmdStatus(const_cast<pg_result*>(r))} != "COMMIT")
        throw database_error{
            failure::retry,
            settings_.name + ": the server rolled the transaction back instead of committing it"};
    if (answered.asker) answers_.emplace(*answered.asker, rows_of(r));
}

void postgresql_database::end_pipeline() {
    ending_ = true;
    sync_pipeline();
    while (!awaited_.empty()) take_next();
    if (::PQexitPipelineMode(connection_) == 0) lose(::PQerrorMessage(connection_));
    in_pipeline_ = false;
}

// Discards all answers and leaves the pipeline mode. Sends the final sync if end_pipeline() has not sent it.
void postgresql_database::abandon_pipeline() {
    if (!std::exchange(ending_, true)) sync_pipeline();
    std::size_t syncs = 0;
    for (const awaited& each : std::exchange(awaited_, {})) {
        if (each.kind == awaited::purpose::preparation) prepared_.erase(each.text);
        if (each.kind == awaited::purpose::sync) ++syncs;
    }
    // A null result ends the answers to each statement.
    constexpr int k_most_gaps = 2;
    for (int gaps = 0; syncs != 0;) {
        const owned_result next = next_result();
        if (next && ::PQresultStatus(next.get()) == PGRES_PIPELINE_SYNC) --syncs;
        gaps = next ? 0 : gaps + 1;
        if (gaps > k_most_gaps || ::PQstatus(connection_) == CONNECTION_BAD)
            lose(::PQerrorMessage(connection_));
    }
    if (::PQexitPipelineMode(connection_) == 0) lose(::PQerrorMessage(connection_));
    in_pipeline_ = false;
}

// Reads while it sends: the server may stop reading until the client has read some answers.
void postgresql_database::flush() {
    int flushed = 0;
    while ((flushed = ::PQflush(connection_)) == 1) {
        await_socket(POLLIN | POLLOUT, patient_until_);
        if (::PQconsumeInput(connection_) == 0) lose(::PQerrorMessage(connection_));
    }
    if (flushed < 0) lose(::PQerrorMessage(connection_));
}

postgresql_database::owned_result postgresql_database::next_result() {
    flush();
    while (::PQisBusy(connection_) != 0) {
        await_socket(POLLIN, patient_until_);
        if (::PQconsumeInput(connection_) == 0) lose(::PQerrorMessage(connection_));
    }
    return owned_result{::PQgetResult(connection_)};
}

}  // namespace turnstile::sql
