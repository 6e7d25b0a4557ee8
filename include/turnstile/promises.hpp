// SPDX-License-Identifier: Apache-2.0
// promises: what a kind of server promises of every lock on it, as data.
//
//     turnstile::client servers{connect_string, {.require = {.exclusion = turnstile::exclusion_promise::proved,
//                                                            .scope = turnstile::scope_promise::host}}};
//     if (servers.promises().failover == turnstile::failover_promise::none) warn_the_operator();
//
// The values of each enum are in ascending order: a greater one promises more. The first one of each promises nothing,
// so `promises{}` is met by every kind of server. docs/start/choosing.md has the table of all kinds.
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

// At most one valid guard of an exclusive lock at any instant (G1).
// best_effort: a failover of the servers may forget a grant; only the fencing token and guarded writes help then.
// leased:      while the server keeps its data and its clock runs at a true rate; argued, and judged from outside.
// proved:      through failovers of the servers too; argued step by step, simulated and judged from outside.
enum class exclusion_promise { best_effort, leased, proved };

// arrival: grants in the order in which the servers saw the contenders (G2).
enum class order_promise { none, arrival };

// How a waiter learns that it is its turn. polled: by asking from time to time. notified: the server tells it. On MariaDB
// that holds among clients of one user, or with the right CONNECTION ADMIN; without it a waiter of another user asks
// every third of its session time-out, and the log says so once.
enum class waiting_promise { polled, notified };

// What becomes of locks when one server is lost. none: they are not to be had until it is back.
// loses_writes: another server goes on and may lack the last writes. survives: nothing that was acknowledged is lost.
enum class failover_promise { none, loses_writes, survives };

// told: a holder learns of loss before any other contender can be granted (G5).
enum class loss_promise { none, told };

// grows: the later of two grants that exclude each other has the larger fencing token (G6), while the servers keep
// their data. grows_across_lost_data: also when they went on from older data, unless a waiter is back in it that another
// client had removed by force.
enum class token_promise { none, grows, grows_across_lost_data };

// guarded: guard::commit() writes at these servers all together or not at all, and only under the hold.
enum class write_promise { none, guarded };

// When the locks of a process that died are free. at_once: as soon as the system has noticed.
enum class crash_promise { never, session_timeout, at_once };

// Who can contend for one lock: threads of a process, processes of a host, whoever reaches the one server, whoever
// reaches one server of several that act as one.
enum class scope_promise { process, host, server, cluster };

struct promises {
    exclusion_promise exclusion = exclusion_promise::best_effort;
    order_promise order = order_promise::none;
    waiting_promise waiting = waiting_promise::polled;
    failover_promise failover = failover_promise::none;
    loss_promise loss = loss_promise::none;
    token_promise token = token_promise::none;
    write_promise writes = write_promise::none;
    crash_promise crash = crash_promise::never;
    scope_promise scope = scope_promise::process;
    friend bool operator==(const promises&, const promises&) = default;
};

// One of the promises in words: "exclusion", "proved".
struct promise_text {
    std::string_view name;
    std::string_view value;
    friend bool operator==(const promise_text&, const promise_text&) = default;
};
inline constexpr std::size_t k_promise_count = 9;

// All of them, in the order of the struct.
[[nodiscard]] TURNSTILE_EXPORT std::array<promise_text, k_promise_count> texts_of(
    const promises& given) noexcept;

// What `given` lacks of `required`: "exclusion: proved is required, best_effort is promised; scope: ...". Empty: nothing.
[[nodiscard]] TURNSTILE_EXPORT std::string missing(const promises& given, const promises& required);

}  // namespace turnstile
