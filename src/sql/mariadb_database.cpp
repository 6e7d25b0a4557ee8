// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_database.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "base/log.hpp"
#include "sql/mariadb_text.hpp"
#include "sql/stripes.hpp"

namespace turnstile::sql {
namespace {

// InnoDB's keys take up to 3,072 bytes in pages of 16 KiB. PostgreSQL's keys have the smaller limit.
constexpr std::size_t k_longest_path = 2000;
// The error of a KILL QUERY of another user's statement without the right.
constexpr unsigned k_not_owner = 1095;
constexpr unsigned k_deadlock = 1213;
// Once the deferred statements have this length, the client sends them. A server accepts a text of 4 MiB at least, and
// the end of a session with thousands of znodes would be longer.
constexpr std::size_t k_long_text = std::size_t{1} << 20;

}  // namespace

mariadb_database::mariadb_database(mariadb_settings settings)
    : settings_{std::move(settings)},
      patience_{settings_.patience, settings_.closing},
      link_{settings_.name, patience_},
      flavour_{&flavour_of_mariadb()} {}

mariadb_database::~mariadb_database() {
    mariadb_database::disconnect();
}

void mariadb_database::disconnect() noexcept {
    bell_.reset();
    link_.close();
    static_cast<void>(take_put_off());
    rung_ = false;
}

// ---- transactions -------------------------------------------------------------------------------

void mariadb_database::begin(access how) {
    patience_.begin();
    forget_answers();
    to_ring_.clear();
    static_cast<void>(take_put_off());
    begun_ = false;
    if (how == access::read) post("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    post(how == access::write ? flavour_->start_to_write(settings_.patience)
                              : "START TRANSACTION READ ONLY");
}

// Sends the deferred statements, the commit and the bells in one round trip. If the commit itself fails with error
// 1213, the server has executed nothing. After any other error, the outcome is unknown.
void mariadb_database::commit() {
    if (begun_ && !link_.in_transaction())
        throw database_error{failure::retry,
                             settings_.name + ": the server has ended the transaction"};
    const std::vector<later> sent = take_put_off();
    std::string statements;
    std::size_t before = 0;
    for (const later& each : sent) {
        statements += each.text + ';';
        before += each.statements;
    }
    statements += "COMMIT";
    for (const std::int64_t session : to_ring_)
        statements += ';' + mariadb_bell::ring(database_, session);
    begun_ = true;
    mariadb_answers answers = link_.run(statements);
    const std::size_t done = answers.each.size();
    const auto failed = answers.failure;
    keep_answers(sent, std::move(answers));
    if (!failed) return;
    if (done < before) link_.fail(*failed);
    if (done == before)
        throw database_error{failed->number == k_deadlock ? failure::retry : failure::lost,
                             settings_.name + ": " + sentence(*failed)};
    tell_of_ring(*failed);
    ring_further(done - before);
}

// Rings the other bells after a bell that could not be rung. The transaction is committed already. If the connection is
// lost here, the next statement reports the loss.
void mariadb_database::ring_further(std::size_t from) {
    while (from < to_ring_.size()) {
        std::string statements;
        for (std::size_t i = from; i != to_ring_.size(); ++i)
            statements += (i == from ? "" : ";") + mariadb_bell::ring(database_, to_ring_[i]);
        try {
            const mariadb_answers answers = link_.run(statements);
            if (!answers.failure) return;
            tell_of_ring(*answers.failure);
            from += answers.each.size() + 1;
        } catch (const database_error&) {
            return;
        }
    }
}

// Error 1094, no such thread, is harmless: the session is attaching and will fetch its events, or it has ended.
void mariadb_database::tell_of_ring(const mariadb_error& why) {
    if (why.number == k_not_owner && !std::exchange(told_of_ring_, true))
        log::write(log_level::warning,
                   "{}: waiters of other database users cannot be notified, and ask the server "
                   "every third of their session timeout: {}",
                   settings_.name, sentence(why));
}

bool mariadb_database::rollback() noexcept {
    static_cast<void>(take_put_off());
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
    later asked{statement, arguments};
    asked.asker = new_ticket();
    const asked_statement ticket = *asked.asker;
    put_off(std::move(asked));
    return ticket;
}

void mariadb_database::begin_posting(const std::string& statement,
                                     std::span<const value> arguments) {
    put_off({statement, arguments});
}

// Counts the statements by their semicolons. The values contain none: texts are hexadecimal digits.
mariadb_database::later::later(const std::string& statement, std::span<const value> arguments)
    : text{mariadb_statement(statement, arguments)},
      statements{1 +
                 static_cast<std::size_t>(std::count(statement.begin(), statement.end(), ';'))} {}

void mariadb_database::put_off(later&& statement) {
    put_off_bytes_ += statement.text.size();
    if (!put_off_.empty() && put_off_bytes_ > k_long_text) {
        const std::size_t kept = statement.text.size();
        send();
        put_off_bytes_ = kept;
    }
    put_off_.push_back(std::move(statement));
}

result_rows mariadb_database::execute(const std::string& statement,
                                      std::span<const value> arguments) {
    return answer(begin_asking(statement, arguments));
}

// MariaDB has no UPDATE ... RETURNING. With LAST_INSERT_ID(expression) in the UPDATE, the server returns the
// expression's value together with the count of rows.
asked_statement mariadb_database::ask_to_update_session(const std::string& assignments,
                                                        const std::string& condition,
                                                        const std::string& answer,
                                                        std::initializer_list<value> arguments) {
    const std::string statement = "UPDATE turnstile_sessions SET " + assignments +
                                  ", lasts = lasts + 0 * LAST_INSERT_ID(" + answer + ") WHERE " +
                                  condition;
    const asked_statement ticket = ask(statement, arguments);
    put_off_.back().is_update = true;
    return ticket;
}

result_rows mariadb_database::answer(asked_statement which) {
    if (!answers_.contains(which)) send();
    return database::answer(which);
}

void mariadb_database::send() {
    const std::vector<later> sent = take_put_off();
    std::string statements;
    for (const later& each : sent) statements += (statements.empty() ? "" : ";") + each.text;
    begun_ = true;
    mariadb_answers answers = link_.run(statements);
    const auto failed = answers.failure;
    keep_answers(sent, std::move(answers));
    if (failed) link_.fail(*failed);
}

std::vector<mariadb_database::later> mariadb_database::take_put_off() noexcept {
    put_off_bytes_ = 0;
    return std::exchange(put_off_, {});
}

void mariadb_database::keep_answers(const std::vector<later>& sent, mariadb_answers&& answers) {
    std::size_t last = 0;
    for (const later& each : sent) {
        last += each.statements;
        if (last > answers.each.size()) return;
        if (!each.asker) continue;
        result_rows& rows = answers.each[last - 1];
        if (each.is_update && rows.affected == 1)
            rows.rows.push_back({std::to_string(answers.inserted[last - 1])});
        answers_.emplace(*each.asker, std::move(rows));
    }
}

// ---- texts and limits of MariaDB ----------------------------------------------------------------

const phrases& mariadb_database::words() const noexcept {
    return flavour_->words;
}

value mariadb_database::list_of(std::span<const std::string> items) const {
    std::string list;
    for (const std::string& item : items) list += (list.empty() ? "" : ",") + mariadb_literal(item);
    return list.empty() ? std::string{"NULL"} : list;
}

value mariadb_database::list_of(std::span<const std::int64_t> items) const {
    std::string list;
    for (const std::int64_t item : items) list += (list.empty() ? "" : ",") + std::to_string(item);
    return list.empty() ? std::string{"NULL"} : list;
}

std::size_t mariadb_database::longest_path() const noexcept {
    return k_longest_path;
}

// The statement reads by the primary key, so the server locks the rows in ascending order and transactions do not wait
// in a cycle.
void mariadb_database::lock(std::span<const std::string> paths, lock_mode mode) {
    const std::set<std::int64_t> stripes = stripes_of(paths);
    if (stripes.empty()) return;
    const std::vector<std::int64_t> list{stripes.begin(), stripes.end()};
    post("SELECT COUNT(*) FROM turnstile_stripes FORCE INDEX (PRIMARY) WHERE stripe IN (" +
         std::get<std::string>(list_of(std::span<const std::int64_t>{list})) +
         (mode == lock_mode::exclusive ? ") FOR UPDATE" : ") LOCK IN SHARE MODE"));
}

std::int64_t mariadb_database::next_number() {
    return to_integer(answer(ask_number()).rows.front().front());
}

asked_statement mariadb_database::ask_number() {
    const asked_statement ticket = ask(flavour_->take_number);
    if (!flavour_->number_is_inserted) return ticket;
    put_off_.back().is_update = true;
    post(flavour_->end_taking);
    return ticket;
}

// ---- bells --------------------------------------------------------------------------------------

void mariadb_database::listen(std::int64_t session) {
    patience_.begin();
    session_ = session;
    bell_.emplace(settings_.name, patience_);
    bell_->open({settings_.target, at_, database_}, *flavour_,
                flavour_->settings(settings_.patience), session, link_);
}

// Closes the bell's connection, which sleeps in a statement. Without the KILL the server would notice the closed
// connection only seconds later.
void mariadb_database::withdraw(ended /*how*/) noexcept {
    if (!bell_ || !link_.usable()) return bell_.reset();
    try {
        patience_.begin();
        static_cast<void>(link_.run(mariadb_bell::end(database_, *session_)));
    } catch (const database_error&) {
    }
    bell_.reset();
}

void mariadb_database::ring(std::span<const std::int64_t> sessions) {
    to_ring_.assign(sessions.begin(), sessions.end());
}

void mariadb_database::has_heard(const std::set<std::int64_t>& events) {
    known_ = events;
    rung_ = false;
}

// After a bell, the connection sleeps again only when the session has fetched its events: the same events would end the
// next sleep at once.
database::woken mariadb_database::wait(int caller, boottime_clock::time_point until) {
    for (;;) {
        const bool listens = bell_.has_value() && !rung_;
        if (listens) bell_->sleep(known_);
        const auto limit = listens ? std::min(until, bell_->latest()) : until;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(limit - boottime_clock::now());
        const auto ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
        const short events = listens ? bell_->events() : short{0};
        const bool over = listens && events == 0;  // the answer came at once
        std::array<pollfd, 2> waited{
            {{caller, POLLIN, 0}, {listens ? bell_->socket() : -1, events, 0}}};
        ::poll(waited.data(), waited.size(), over ? 0 : ms);
        if (over || waited[1].revents != 0) {
            rung_ = bell_->rang(waited[1].revents);
            if (rung_) return woken::by_bell;
        }
        if (waited[0].revents != 0) return woken::by_caller;
        const auto now = boottime_clock::now();
        if (now >= until) return woken::by_time;
        if (listens && bell_->asleep() && now >= bell_->latest())
            bell_->lose("the connection that waits for events gives no answer");
    }
}

}  // namespace turnstile::sql
