// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_bell.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sql/stripes.hpp"
#include "support/poll_time.hpp"

namespace turnstile::sql {
namespace {

// On the session's second connection, the client sends one statement after another. Each statement waits at the server
// for a wake-up, for at most this time. A shorter time would require more statements. With a longer time, the client
// would notice later that a firewall has dropped the connection.
constexpr std::chrono::seconds k_sleep{5};
// The server may end a sleeping statement earlier than the client expects, by at most this time, because their clocks
// differ.
constexpr std::chrono::milliseconds k_early{100};

// Returns the name of a user-level lock. All databases of a server share the lock names, so the name contains a hash of
// the database's name (FNV-1a). The hash is short, because the server allows 64 characters.
std::string lock_of(std::string_view use, std::string_view database, std::int64_t session) {
    return fmt::format("'turnstile-{}-{:08x}-{}'", use, hash_of(database), session);
}

std::string bell_of(std::string_view database, std::int64_t session) {
    return lock_of("bell", database, session);
}

// Takes the user-level lock. If an earlier connection of this session still has the lock, kills that connection first:
// the server may not have noticed that the connection is closed.
void take_lock(mariadb_link& by, const patience& limit, const std::string& name) {
    auto taken = by.run("SELECT GET_LOCK(" + name + ", 0)");
    if (!taken.failure && taken.each.back().rows.front().front() != "1") {
        static_cast<void>(by.run("KILL IS_USED_LOCK(" + name + ")"));
        const auto seconds = std::chrono::duration<double>{limit.length()}.count();
        taken = by.run(fmt::format("SELECT GET_LOCK({}, {})", name, seconds));
    }
    if (taken.failure) by.fail(*taken.failure);
    if (taken.each.back().rows.front().front() != "1")
        by.lose("another connection has this session's lock " + name);
}

}  // namespace

mariadb_bell::mariadb_bell(std::string name, patience& limit)
    : patience_{limit}, link_{std::move(name), limit} {}

std::string mariadb_bell::ring(const std::string& database, std::int64_t session) {
    return "KILL QUERY IS_USED_LOCK(" + bell_of(database, session) + ")";
}

void mariadb_bell::open(const place& at, const mariadb_flavour& flavour,
                        const std::string& settings, std::int64_t session, mariadb_link& other) {
    flavour_ = &flavour;
    session_ = session;
    known_.clear();
    rung_ = false;
    asleep_ = false;
    link_.open(at.target, at.host, {});
    const auto set = link_.run(settings);
    if (set.failure) link_.fail(*set.failure);
    take_lock(link_, patience_, bell_of(at.database, session));
    door_ = lock_of("door", at.database, session);
    take_lock(other, patience_, door_);
}

void mariadb_bell::withdraw(mariadb_link& other, const std::string& database) noexcept {
    if (link_.is_open() && other.usable()) {
        try {
            patience_.begin();
            static_cast<void>(other.run("KILL IS_USED_LOCK(" + bell_of(database, session_) + ")"));
        } catch (const database_error&) {
        }
    }
    close();
}

void mariadb_bell::has_heard(const std::set<std::int64_t>& events) {
    known_ = events;
    rung_ = false;
}

// Sends the statement that waits at the server for a wake-up. The statement ends at once if the session has an event
// that is not in `known_`.
void mariadb_bell::sleep() {
    if (asleep_) return;
    std::string others;
    for (const std::int64_t event : known_)
        others += (others.empty() ? " AND nonce NOT IN (" : ",") + std::to_string(event);
    if (!others.empty()) others += ')';
    const auto now = boottime_clock::now();
    until_ = now + k_sleep - k_early;
    latest_ = now + k_sleep + patience_.length();
    asleep_ = true;
    link_.start(
        flavour_->sleep(fmt::format("session = {}{}", session_, others), door_, k_sleep.count()));
}

bool mariadb_bell::rang(short ready) {
    link_.go_on(ready);
    if (link_.events() != 0) return false;
    asleep_ = false;
    patience_.begin();
    const auto woken = link_.finish();
    if (woken.failure && kind_of(*woken.failure) != failure::retry)
        link_.lose(sentence(*woken.failure));
    for (const auto& answer : woken.each)
        if (!answer.rows.empty() && answer.rows.front().front() == "1")
            link_.lose("the session's second connection has been closed");
    return woken.failure || boottime_clock::now() < until_;
}

// After a wake-up, the connection does not send the next sleeping statement before the session has fetched its events:
// the same events would end that statement at once.
database::woken mariadb_bell::wait(int caller, boottime_clock::time_point until) {
    for (;;) {
        const bool listens = link_.is_open() && !rung_;
        if (listens) sleep();
        const short events = listens ? link_.events() : short{0};
        const bool over = listens && events == 0;  // the sleep has ended already
        std::array<pollfd, 2> waited{
            {{caller, POLLIN, 0}, {listens ? link_.socket() : -1, events, 0}}};
        const auto limit = listens ? std::min(until, latest_) : until;
        support::await_any(waited, over ? boottime_clock::time_point{} : limit);
        if (over || waited[1].revents != 0) {
            rung_ = rang(waited[1].revents);
            if (rung_) return database::woken::by_bell;
        }
        if (waited[0].revents != 0) return database::woken::by_caller;
        const auto now = boottime_clock::now();
        if (now >= until) return database::woken::by_time;
        if (listens && asleep_ && now >= latest_)
            link_.lose("the connection that waits for events gives no answer");
    }
}

}  // namespace turnstile::sql
