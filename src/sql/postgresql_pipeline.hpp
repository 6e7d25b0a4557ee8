// SPDX-License-Identifier: Apache-2.0
// postgresql_pipeline: sends the statements of a transaction together (libpq's pipeline mode). Prepares each statement
// once for a connection, so that the server parses and plans it only once.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "sql/database.hpp"
#include "sql/postgresql_link.hpp"

namespace turnstile::sql {

class postgresql_pipeline {
public:
    explicit postgresql_pipeline(postgresql_link& link) : link_{link} {}

    void begin();
    [[nodiscard]] bool is_begun() const noexcept { return begun_; }
    // `asker`: the identity under which await() or end() returns the answer.
    void send(const std::string& statement, std::span<const value> arguments,
              std::optional<asked_statement> asker);
    // Sends COMMIT. If the transaction has failed, COMMIT rolls it back.
    void send_commit();
    // await() returns the answers up to the answer to `last`. end() returns all other answers and ends the pipeline.
    using answers = std::unordered_map<asked_statement, result_rows>;
    [[nodiscard]] answers await(asked_statement last);
    [[nodiscard]] answers end();
    // Ends the pipeline, and discards its answers and failures.
    void abandon();
    // Forgets the prepared statements and the awaited answers. Call this after the end of the connection.
    void forget() noexcept;

private:
    // A statement that was sent and has no answer yet.
    struct awaited {
        // sync: libpq's message that ends the statements of one round trip.
        enum class purpose { preparation, statement, commit, sync } kind = purpose::statement;
        std::string text{};                      // preparation: the text of the prepared statement
        std::optional<asked_statement> asker{};  // statement: the identity for database::answer()
    };
    void send(const std::string& statement, std::span<const value> arguments, awaited&& expected);
    [[nodiscard]] const std::string& prepare(const std::string& statement);
    void sync();
    void take_next(answers& taken);
    void leave();

    postgresql_link& link_;
    std::unordered_map<std::string, std::string> prepared_;
    std::uint64_t names_ = 0;  // number of prepared statements so far
    bool begun_ = false;
    bool ending_ = false;  // the end of the pipeline was sent
    std::deque<awaited> awaited_;
};

}  // namespace turnstile::sql
