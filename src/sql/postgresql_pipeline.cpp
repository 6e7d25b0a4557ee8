// SPDX-License-Identifier: Apache-2.0
#include "sql/postgresql_pipeline.hpp"

#include <fmt/core.h>
#include <libpq-fe.h>

#include <algorithm>
#include <string_view>
#include <vector>

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

void postgresql_pipeline::begin() {
    link_.require(::PQenterPipelineMode(link_.get()) != 0);
    begun_ = true;
    ending_ = false;
}

void postgresql_pipeline::forget() noexcept {
    prepared_.clear();
    awaited_.clear();
    begun_ = false;
}

// ---- sending ------------------------------------------------------------------------------------

void postgresql_pipeline::send(const std::string& statement, std::span<const value> arguments,
                               std::optional<asked_statement> asker) {
    send(statement, arguments, awaited{.asker = asker});
}

void postgresql_pipeline::send_commit() {
    send("COMMIT", {}, awaited{awaited::purpose::commit});
}

const std::string& postgresql_pipeline::prepare(const std::string& statement) {
    if (const auto known = prepared_.find(statement); known != prepared_.end())
        return known->second;
    std::string text = statement;
    std::replace(text.begin(), text.end(), '?', '$');
    // The name is unique among all sessions, because a connection pool may share this server process with other
    // sessions (postgresql_link.cpp).
    const std::string name = fmt::format("turnstile_{}_{}", ::PQbackendPID(link_.get()), ++names_);
    link_.require(::PQsendPrepare(link_.get(), name.c_str(), text.c_str(), 0, nullptr) != 0);
    awaited_.push_back({awaited::purpose::preparation, statement});
    return prepared_.emplace(statement, name).first->second;
}

void postgresql_pipeline::send(const std::string& statement, std::span<const value> arguments,
                               awaited&& expected) {
    if (!begun_) link_.lose("there is no connection");
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
    link_.require(::PQsendQueryPrepared(link_.get(), name.c_str(),
                                        static_cast<int>(arguments.size()), values.data(),
                                        lengths.data(), formats.data(), 0) != 0);
    awaited_.push_back(std::move(expected));
}

// Sends a sync at the end of each round trip, even inside a transaction. Only after a sync does the server count the
// connection as idle in a transaction. Otherwise idle_in_transaction_session_timeout would not end the transaction of a
// stopped process.
void postgresql_pipeline::sync() {
    if (!begun_) link_.lose("there is no connection");
    link_.require(::PQpipelineSync(link_.get()) != 0);
    awaited_.push_back({awaited::purpose::sync});
}

// ---- answers ------------------------------------------------------------------------------------

postgresql_pipeline::answers postgresql_pipeline::await(asked_statement last) {
    sync();
    answers taken;
    while (!taken.contains(last) && !awaited_.empty()) take_next(taken);
    return taken;
}

postgresql_pipeline::answers postgresql_pipeline::end() {
    ending_ = true;
    sync();
    answers taken;
    while (!awaited_.empty()) take_next(taken);
    leave();
    return taken;
}

void postgresql_pipeline::leave() {
    link_.require(::PQexitPipelineMode(link_.get()) != 0);
    begun_ = false;
}

void postgresql_pipeline::take_next(answers& taken) {
    const auto first = link_.next_result();
    if (awaited_.front().kind == awaited::purpose::sync) {
        if (!first || ::PQresultStatus(first.get()) != PGRES_PIPELINE_SYNC) link_.lose("no answer");
        awaited_.pop_front();
        return;
    }
    if (!first) link_.lose("no answer");
    if (::PQstatus(link_.get()) == CONNECTION_BAD) link_.fail(first.get());
    const awaited answered = std::move(awaited_.front());
    awaited_.pop_front();
    // A null result ends the answers to this statement.
    while (const auto more = link_.next_result()) {
    }
    const ExecStatusType status = ::PQresultStatus(first.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        if (answered.kind == awaited::purpose::preparation) prepared_.erase(answered.text);
        link_.fail(first.get());
    }
    if (answered.kind == awaited::purpose::commit &&
        std::string_view{::PQcmdStatus(first.get())} != "COMMIT")
        link_.refuse(failure::retry,
                     "the server rolled the transaction back instead of committing it");
    if (answered.asker) taken.emplace(*answered.asker, rows_of(first.get()));
}

void postgresql_pipeline::abandon() {
    if (!std::exchange(ending_, true)) sync();
    std::size_t syncs = 0;
    for (const awaited& each : std::exchange(awaited_, {})) {
        if (each.kind == awaited::purpose::preparation) prepared_.erase(each.text);
        if (each.kind == awaited::purpose::sync) ++syncs;
    }
    // libpq returns one null result after the answers to each statement, so more than k_most_gaps null results in a row
    // mean that libpq expects no further answer.
    constexpr int k_most_gaps = 2;
    for (int gaps = 0; syncs != 0;) {
        const auto next = link_.next_result();
        if (next && ::PQresultStatus(next.get()) == PGRES_PIPELINE_SYNC) --syncs;
        gaps = next ? 0 : gaps + 1;
        link_.require(gaps <= k_most_gaps && ::PQstatus(link_.get()) != CONNECTION_BAD);
    }
    leave();
}

}  // namespace turnstile::sql
