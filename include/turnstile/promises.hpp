// SPDX-License-Identifier: Apache-2.0
// promises: the promises that a kind of server gives for every lock, as data.
//
// Use it to refuse servers that promise less than a program needs, or to warn about them.
//
//     turnstile::client servers{connect_string, {.require = {.exclusion = turnstile::exclusion_promise::proved,
//                                                            .scope = turnstile::scope_promise::host}}};
//     if (servers.promises().failover == turnstile::failover_promise::none) warn_the_operator();
//
// The values of each enum ascend: a greater value promises more, and the first value promises nothing. So every kind of
// server meets `promises{}`. docs/start/choosing.md has the table of all kinds of servers. The names G1 to G6 below are
// the promises of docs/guarantees.md.
//
// Thread safety: values.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

// Exclusion (G1): at most one valid guard of an exclusive lock exists at any instant.
// - `best_effort`: after a failover the servers may have forgotten a grant. Then only fencing tokens and guarded writes
//   protect the data.
// - `leased`: exclusion holds while the server keeps its data and its clock runs at the right rate. This promise rests
//   on a written argument, and on tests that judge the library from outside.
// - `proved`: exclusion also holds through failovers of the servers. This promise rests on a proof step by step, on
//   simulations, and on tests that judge the library from outside.
enum class exclusion_promise { best_effort, leased, proved };

// Order (G2). `arrival`: grants follow the order in which the servers received the contenders.
enum class order_promise { none, arrival };

// The means by which a waiter learns that it may have the lock. `polled`: the waiter asks from time to time.
// `notified`: the server notifies the waiter.
//
// On MariaDB `notified` is true only among clients with the same database user, or with the right CONNECTION ADMIN.
// Without that right, clients of another user cannot notify a waiter. Then the waiter asks after each third of its
// session timeout, and the log says so once.
enum class waiting_promise { polled, notified };

// The effect on locks when one server is lost. `none`: no lock can be acquired until the server is back.
// `loses_writes`: another server continues, and may lack the last writes. `survives`: no acknowledged write is lost.
enum class failover_promise { none, loses_writes, survives };

// The report of a lost hold (G5). `told`: before another contender can be granted the lock, the holder learns that its
// hold is lost.
enum class loss_promise { none, told };

// Fencing (G6). `grows`: of two grants that exclude each other, the later grant has the larger fencing token, as long
// as the servers keep their data. `grows_across_lost_data`: the later grant also has the larger token after the servers
// lost data and continued from older data. Exception: the older data contain a waiter that another client had removed
// by force.
enum class token_promise { none, grows, grows_across_lost_data };

// The promise about transactions that a holder sends by guard::commit(). `guarded`: the servers execute either all
// writes of the transaction or none, and only while the hold exists.
enum class write_promise { none, guarded };

// The time at which the locks of a dead process become free. `session_timeout`: when its session expires. `at_once`: as
// soon as the operating system has noticed the death.
enum class crash_promise { never, session_timeout, at_once };

// The programs that can contend for one lock. `process`: threads of one process. `host`: processes of one host.
// `server`: all programs that reach the one server. `cluster`: all programs that reach any server of a group that acts
// as one server.
enum class scope_promise { process, host, server, cluster };

// The promises of a kind of server. By default each promise has its weakest value.
struct promises {
    exclusion_promise exclusion = exclusion_promise::best_effort;  // exclusion (G1)
    order_promise order = order_promise::none;                     // order of grants (G2)
    waiting_promise waiting =
        waiting_promise::polled;  // the means by which a waiter learns of a grant
    failover_promise failover = failover_promise::none;  // locks after the loss of a server
    loss_promise loss = loss_promise::none;              // report of a loss (G5)
    token_promise token = token_promise::none;           // fencing (G6)
    write_promise writes = write_promise::none;          // guarded writes
    crash_promise crash = crash_promise::never;          // locks of a dead process
    scope_promise scope = scope_promise::process;        // programs that can contend
    friend bool operator==(const promises&, const promises&) = default;
};

// A promise as two words: its name and its value.
struct promise_text {
    std::string_view name;   // the member of `promises`, like "exclusion"
    std::string_view value;  // its value, like "proved"
    friend bool operator==(const promise_text&, const promise_text&) = default;
};
// Number of members of `promises`.
inline constexpr std::size_t k_promise_count = 9;

// Returns all promises in words, in the order of the members.
[[nodiscard]] TURNSTILE_EXPORT std::array<promise_text, k_promise_count> texts_of(
    const promises& given) noexcept;

// Returns the promises of `required` that `given` does not meet, like "exclusion: proved is required, best_effort is
// promised; scope: ..."; empty if `given` meets them all.
[[nodiscard]] TURNSTILE_EXPORT std::string missing(const promises& given, const promises& required);

}  // namespace turnstile
