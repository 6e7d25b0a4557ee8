// SPDX-License-Identifier: Apache-2.0
// mariadb_database: a session's two connections to a MariaDB server: for transactions, and for sleep (mariadb_bell.hpp).
//
// A write transaction is READ COMMITTED: each of its statements sees everything committed before it, and InnoDB locks
// rows and no gaps between them. A read is REPEATABLE READ, one snapshot. Statements that are asked or posted go with
// the next statement that is waited for, or with the commit, as one text. The server executes the text up to the first
// failure.
//
// Paths are locked by rows of the table turnstile_stripes, until the transaction ends: so paths without nodes can be
// locked. No row of it is ever changed.
//
// The library does not wait for a node that a user's transaction keeps (sql::check): statements that would remove it
// have no time for locks. Locks for which any other statement waits outlast the patience, so the server's own limit
// for them (1205) always means such a node.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/latest_failure.hpp"
#include "sql/database.hpp"
#include "sql/mariadb_bell.hpp"
#include "sql/mariadb_flavour.hpp"
#include "sql/mariadb_link.hpp"
#include "sql/mariadb_target.hpp"

namespace turnstile::sql {

struct mariadb_settings {
    mariadb_target target;
    std::string name;  // for people, without a password
    std::chrono::milliseconds patience{};
    std::shared_ptr<closing_signal> closing;
    std::string
        lacking_without_syncs{};  // required promises that a server without syncs lacks, or empty
    std::shared_ptr<base::latest_failure> failures = std::make_shared<base::latest_failure>();
};

class mariadb_database final : public database {
public:
    explicit mariadb_database(mariadb_settings settings);
    ~mariadb_database() override;
    mariadb_database(const mariadb_database&) = delete;
    mariadb_database& operator=(const mariadb_database&) = delete;

    // Returns the facts that a session would see, without creating tables. Throws database_error.
    [[nodiscard]] mariadb_facts examine();

    void connect() override;
    void disconnect() noexcept override;
    void begin(access how) override;
    void commit() override;
    bool rollback() noexcept override;
    result_rows execute(const std::string& statement, std::span<const value> arguments) override;
    result_rows answer(asked_statement which) override;
    asked_statement ask_to_update_session(const std::string& assignments,
                                          const std::string& condition, const std::string& answer,
                                          std::initializer_list<value> arguments) override;

    [[nodiscard]] const phrases& words() const noexcept override;
    [[nodiscard]] value list_of(std::span<const std::string> items) const override;
    [[nodiscard]] value list_of(std::span<const std::int64_t> items) const override;
    [[nodiscard]] std::size_t longest_path() const noexcept override;

    void lock(std::span<const std::string> paths, lock_mode mode) override;
    std::int64_t next_number() override;
    asked_statement ask_number() override;

    void announce(std::int64_t /*session*/) override {}
    void listen(std::int64_t session) override;
    void withdraw(ended how) noexcept override;
    [[nodiscard]] bool is_gone(std::int64_t /*session*/) const override { return false; }
    void ring(std::span<const std::int64_t> sessions) override;
    void has_heard(const std::set<std::int64_t>& events) override;
    woken wait(int caller, boottime_clock::time_point until) override;

private:
    // ---- mariadb_connect.cpp ----
    mariadb_facts open_link();
    mariadb_facts open_any();
    void make_tables();
    [[nodiscard]] std::optional<std::int64_t> version_of_tables();
    void raise_numbers();
    result_rows run_alone(const std::string& statements);

    // ---- mariadb_database.cpp ----
    asked_statement begin_asking(const std::string& statement,
                                 std::span<const value> arguments) override;
    void begin_posting(const std::string& statement, std::span<const value> arguments) override;
    // Statements that are sent with the next awaited one. Their answer is the last statement's.
    struct later {
        later(const std::string& statement, std::span<const value> arguments);

        std::string text;
        std::size_t statements;
        std::optional<asked_statement> asker{};
        bool is_update = false;  // its answer is a number that comes with the count of rows
    };
    void put_off(later&& statement);
    [[nodiscard]] std::vector<later> take_put_off() noexcept;
    void send();
    void keep_answers(const std::vector<later>& sent, mariadb_answers&& answers);
    void ring_further(std::size_t from);
    void tell_of_ring(const mariadb_error& why);

    const mariadb_settings settings_;
    mariadb_patience patience_;
    mariadb_link link_;
    const mariadb_flavour* flavour_;  // the server's at the link
    std::size_t host_ = 0;            // the next one to try
    const mariadb_host* at_ = nullptr;
    std::string database_;  // its name, for user-level locks
    std::vector<later> put_off_;
    std::size_t put_off_bytes_ = 0;
    bool begun_ = false;  // the current transaction, at the server
    std::vector<std::int64_t> to_ring_;
    bool told_of_ring_ = false;  // the log has a line about it

    std::optional<mariadb_bell> bell_;
    std::optional<std::int64_t> session_;
    std::set<std::int64_t> known_;
    bool rung_ = false;  // and nothing was fetched since
};

}  // namespace turnstile::sql
