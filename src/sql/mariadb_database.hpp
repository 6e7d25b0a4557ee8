// SPDX-License-Identifier: Apache-2.0
// mariadb_database: a session's two connections to a MariaDB server. The first executes transactions. The second waits
// for bells, the messages that wake the session (mariadb_bell.hpp).
//
// A write transaction is READ COMMITTED: each statement sees all transactions that were committed before it, and InnoDB
// locks rows but no gaps between rows. A read transaction is REPEATABLE READ: all statements see one snapshot. The
// client collects the statements of ask() and post(), and sends them as one text with the next statement that it waits
// for, or with the commit. The server executes the text up to the first failure.
//
// To lock a path, a transaction locks the row of turnstile_stripes that the path's hash selects. So a path without a
// znode can be locked. No statement changes these rows.
//
// A user's own transaction may lock a znode's row (sql::check). Statements that would remove the row do not wait for
// this lock, but fail with the server's error 1205, or 3572 in MySQL. If the user has locked the gap for a new row, the
// INSERT fails with error 1205, in MySQL after a second. For all other statements, the server's lock timeout is longer
// than the client's time limit. So both errors always mean that a user has locked the row or the gap.
//
//     mariadb_batch   statements that the client sends together as one text
//
// Thread safety: one thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/latest_failure.hpp"
#include "sql/database.hpp"
#include "sql/mariadb_bell.hpp"
#include "sql/mariadb_flavour.hpp"
#include "sql/mariadb_link.hpp"
#include "sql/mariadb_target.hpp"
#include "sql/patience.hpp"

namespace turnstile::sql {

// Statements that wait until the client sends them as one text, together with the next statement whose answer the
// caller needs.
//
// Thread safety: a value, for one thread.
class mariadb_batch {
public:
    // Returns false if the client must send the batch before it adds `text`, because the batch would become longer than
    // 1 MiB. Every server accepts a message of 4 MiB.
    [[nodiscard]] bool has_room_for(const std::string& text) const noexcept {
        constexpr std::size_t k_long_text = std::size_t{1} << 20;
        return text_.empty() || text_.size() + text.size() <= k_long_text;
    }
    // Adds one or several statements. `asker` identifies the request that gets the answer to the last statement. The
    // number of semicolons gives the number of statements, because no value contains a semicolon: texts become
    // hexadecimal digits.
    void add(const std::string& text, std::optional<asked_statement> asker) {
        if (!text_.empty()) text_ += ';';
        text_ += text;
        size_ += 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ';'));
        if (asker) asked_.push_back({*asker, size_ - 1});
    }
    // Call this after add() with an `asker`. take_rows() then returns, as the answer to that statement, the identity
    // (AUTO_INCREMENT) of the row that the statement inserts.
    void ask_for_inserted() noexcept { asked_.back().is_inserted = true; }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // Returns the rows for each asker. Omits the first failed statement and all statements after it.
    [[nodiscard]] std::unordered_map<asked_statement, result_rows> take_rows(
        mariadb_answers& answers) const {
        std::unordered_map<asked_statement, result_rows> taken;
        for (const asked& each : asked_) {
            if (each.place >= answers.each.size()) break;
            result_rows& rows = answers.each[each.place];
            if (each.is_inserted && rows.affected == 1)
                rows.rows.push_back({std::to_string(answers.inserted[each.place])});
            taken.emplace(each.asker, std::move(rows));
        }
        return taken;
    }

private:
    struct asked {
        asked_statement asker{};
        std::size_t place = 0;  // among the statements
        bool is_inserted = false;
    };

    std::string text_;
    std::size_t size_ = 0;
    std::vector<asked> asked_;
};

struct mariadb_settings {
    mariadb_target target;
    std::string name;  // for messages, without a password
    std::chrono::milliseconds patience{};
    std::shared_ptr<closing_signal> closing;
    std::string
        lacking_without_syncs{};  // required promises that a server lacks if it does not sync commits; or empty
    std::shared_ptr<base::latest_failure> failures = std::make_shared<base::latest_failure>();
};

class mariadb_database final : public database {
public:
    explicit mariadb_database(mariadb_settings settings);

    // Connects, and returns the facts about the server without creating tables. Throws database_error.
    [[nodiscard]] mariadb_facts examine();

    void connect() override;
    void disconnect() noexcept override;
    void begin(access how) override;
    void commit(std::span<const std::int64_t> to_wake) override;
    bool rollback() noexcept override;
    result_rows execute(const std::string& statement, std::span<const value> arguments) override;
    result_rows answer(asked_statement which) override;
    asked_statement ask_to_update_session(const std::string& assignments,
                                          const std::string& condition, const std::string& answer,
                                          std::initializer_list<value> arguments) override;

    [[nodiscard]] const phrases& words() const noexcept override;

    void lock(std::span<const std::string> paths, lock_mode mode) override;
    asked_statement ask_number() override;

    void listen(std::int64_t session) override;
    void withdraw(ended how) noexcept override;
    void has_heard(const std::set<std::int64_t>& events) override;
    woken wait(int caller, boottime_clock::time_point until) override;

private:
    // ---- functions that connect (mariadb_connect.cpp) ----
    mariadb_facts open_link();
    mariadb_facts open_any();
    void make_tables();
    void check_engine();
    [[nodiscard]] std::optional<std::int64_t> version_of_tables();
    void raise_numbers();
    result_rows run_alone(const std::string& statements);

    // ---- other functions (mariadb_database.cpp) ----
    asked_statement begin_asking(const std::string& statement,
                                 std::span<const value> arguments) override;
    void begin_posting(const std::string& statement, std::span<const value> arguments) override;
    void put_off(const std::string& text, std::optional<asked_statement> asker);
    void send();
    void ring_further(std::span<const std::int64_t> to_wake);
    void tell_of_ring(const mariadb_error& why);

    const mariadb_settings settings_;
    patience patience_;
    mariadb_link link_;
    mariadb_bell bell_;
    const mariadb_flavour* flavour_;  // the flavour of the connected server
    std::size_t host_ = 0;            // the index of the next host to try
    const mariadb_host* at_ = nullptr;
    std::string database_;  // the database's name, for user-level locks
    mariadb_batch batch_;
    bool begun_ = false;         // the server has begun the current transaction
    bool told_of_ring_ = false;  // the log has a line about refused bells
};

}  // namespace turnstile::sql
