// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_database.hpp"

#include <set>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "sql/mariadb_words.hpp"
#include "sql/stripes.hpp"

namespace turnstile::sql {
namespace {

// The server's error if this user may not kill another user's statement.
constexpr unsigned k_not_owner = 1095;
constexpr unsigned k_deadlock = 1213;

}  // namespace

mariadb_database::mariadb_database(mariadb_settings settings)
    : settings_{std::move(settings)},
      patience_{settings_.patience, settings_.closing},
      link_{settings_.name, patience_},
      bell_{settings_.name, patience_},
      flavour_{&flavour_of_mariadb()} {}

void mariadb_database::disconnect() noexcept {
    bell_.close();
    link_.close();
    batch_ = {};
}

// ---- transactions -------------------------------------------------------------------------------

void mariadb_database::begin(access how) {
    patience_.begin();
    forget_answers();
    batch_ = {};
    begun_ = false;
    if (how == access::read) post("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    post(how == access::write ? flavour_->start_to_write(settings_.patience)
                              : "START TRANSACTION READ ONLY");
}

// Sends the collected statements, the commit and the statements that wake other sessions in one round trip. If the
// commit itself fails with error 1213, the server has rolled back. After any other error of the commit, the outcome is
// unknown.
void mariadb_database::commit(std::span<const std::int64_t> to_wake) {
    if (begun_ && !link_.in_transaction())
        throw database_error{failure::retry, settings_.name,
                             "the server has ended the transaction"};
    const mariadb_batch sent = std::exchange(batch_, {});
    std::string statements = sent.text() + (sent.size() == 0 ? "COMMIT" : ";COMMIT");
    for (const std::int64_t session : to_wake)
        statements += ';' + mariadb_bell::ring(database_, session);
    begun_ = true;
    mariadb_answers answers = link_.run(statements);
    answers_.merge(sent.take_rows(answers));
    if (!answers.failure) return;
    const std::size_t done = answers.each.size();
    if (done < sent.size()) link_.fail(*answers.failure);
    if (done == sent.size())
        throw database_error{answers.failure->number == k_deadlock ? failure::retry : failure::lost,
                             settings_.name, sentence(*answers.failure)};
    tell_of_ring(*answers.failure);
    ring_further(to_wake.subspan(done - sent.size()));
}

// Wakes the remaining sessions after the server has refused to wake one of them. The transaction is already committed.
// If the connection breaks here, the next statement reports it.
void mariadb_database::ring_further(std::span<const std::int64_t> to_wake) {
    while (!to_wake.empty()) {
        std::string statements;
        for (const std::int64_t session : to_wake) {
            if (!statements.empty()) statements += ';';
            statements += mariadb_bell::ring(database_, session);
        }
        try {
            const mariadb_answers answers = link_.run(statements);
            if (!answers.failure) return;
            tell_of_ring(*answers.failure);
            to_wake = to_wake.subspan(answers.each.size() + 1);
        } catch (const database_error&) {
            return;
        }
    }
}

// Logs nothing for error 1094 (no such thread): the session to wake is attaching, and will fetch its events, or it has
// ended.
void mariadb_database::tell_of_ring(const mariadb_error& why) {
    if (why.number == k_not_owner && !std::exchange(told_of_ring_, true))
        log::write(
            log_level::warning,
            "{}: this database user may not notify waiters of other database users, so these "
            "waiters ask the server every third of their session timeout: {}",
            settings_.name, sentence(why));
}

bool mariadb_database::rollback() noexcept {
    batch_ = {};
    if (!begun_) return true;
    try {
        if (!link_.run("ROLLBACK").failure) return true;
    } catch (const database_error&) {
    }
    disconnect();  // the server rolls back; the next statement finds no connection
    return false;
}

// ---- statements ---------------------------------------------------------------------------------

asked_statement mariadb_database::begin_asking(const std::string& statement,
                                               std::span<const value> arguments) {
    const asked_statement ticket = new_ticket();
    put_off(mariadb_statement(statement, arguments), ticket);
    return ticket;
}

void mariadb_database::begin_posting(const std::string& statement,
                                     std::span<const value> arguments) {
    put_off(mariadb_statement(statement, arguments), std::nullopt);
}

void mariadb_database::put_off(const std::string& text, std::optional<asked_statement> asker) {
    if (!batch_.has_room_for(text)) send();
    batch_.add(text, asker);
}

result_rows mariadb_database::execute(const std::string& statement,
                                      std::span<const value> arguments) {
    return answer(begin_asking(statement, arguments));
}

// MariaDB has no UPDATE ... RETURNING. Instead the UPDATE calls LAST_INSERT_ID(expression), and the server returns the
// expression's value with the count of rows.
asked_statement mariadb_database::ask_to_update_session(const std::string& assignments,
                                                        const std::string& condition,
                                                        const std::string& answer,
                                                        std::initializer_list<value> arguments) {
    const std::string statement = "UPDATE turnstile_sessions SET " + assignments +
                                  ", lasts = lasts + 0 * LAST_INSERT_ID(" + answer + ") WHERE " +
                                  condition;
    const asked_statement ticket = ask(statement, arguments);
    batch_.ask_for_inserted();
    return ticket;
}

result_rows mariadb_database::answer(asked_statement which) {
    if (!answers_.contains(which)) send();
    return database::answer(which);
}

void mariadb_database::send() {
    const mariadb_batch sent = std::exchange(batch_, {});
    begun_ = true;
    mariadb_answers answers = link_.run(sent.text());
    answers_.merge(sent.take_rows(answers));
    if (answers.failure) link_.fail(*answers.failure);
}

// ---- texts and limits of MariaDB ----------------------------------------------------------------

const phrases& mariadb_database::words() const noexcept {
    return flavour_->words;
}

// Reads the paths' rows of turnstile_stripes by the primary key. So all transactions lock these rows in ascending
// order, and cannot deadlock.
void mariadb_database::lock(std::span<const std::string> paths, lock_mode mode) {
    const std::vector<std::int64_t> stripes = stripes_of(paths);
    if (stripes.empty()) return;
    post("SELECT COUNT(*) FROM turnstile_stripes FORCE INDEX (PRIMARY) WHERE stripe IN (" +
         std::get<std::string>(list_of(std::span<const std::int64_t>{stripes})) +
         (mode == lock_mode::exclusive ? ") FOR UPDATE" : ") LOCK IN SHARE MODE"));
}

asked_statement mariadb_database::ask_number() {
    const asked_statement ticket = ask(flavour_->take_number);
    if (!flavour_->number_is_inserted) return ticket;
    batch_.ask_for_inserted();
    post(flavour_->end_taking);
    return ticket;
}

// ---- bells: messages that wake a session ----------------------------------------------------

void mariadb_database::listen(std::int64_t session) {
    patience_.begin();
    bell_.open({settings_.target, at_, database_}, *flavour_,
               flavour_->settings(settings_.patience), session, link_);
}

void mariadb_database::withdraw(ended /*how*/) noexcept {
    bell_.withdraw(link_, database_);
}

void mariadb_database::has_heard(const std::set<std::int64_t>& events) {
    bell_.has_heard(events);
}

database::woken mariadb_database::wait(int caller, boottime_clock::time_point until) {
    return bell_.wait(caller, until);
}

}  // namespace turnstile::sql
