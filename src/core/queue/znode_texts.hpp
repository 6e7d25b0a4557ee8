// SPDX-License-Identifier: Apache-2.0
// znode_texts: the texts in znodes from which contenders learn what a contender or an operator did before. A
// low_water_mark is in the data of a lock's folder, a crash_mark in a znode beside the folder, and a revocation_text in
// a contender's znode.
//
// Values and pure functions. Thread safety: none needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/queue/contender_name.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::core {

// low_water_mark: a number in the data of a lock's folder. In a long queue a waiter reads this number instead of the
// list of children, to learn that it is the next holder.
//
// "lock-floor 42" states that each mutex contender with the number 42, or with a number before it, is gone.
// "latch-floor 42" states the same for the latch family, which may share the folder and its numbers. Only the first
// contender raises the mark, in the transaction that removes its own znode, so no contender with a lower number can
// come later. Data that are no mark belong to another client, and are not overwritten. docs/why/mutex.md has the
// argument.

// In a folder with at least this many children, a list of the children costs more than a read of the folder's data. So
// the contenders of a folder of that size read the low-water mark in these data.
inline constexpr std::uint32_t k_long_queue = 32;

[[nodiscard]] std::string low_water_text(contender_family of, std::int32_t number);
[[nodiscard]] std::optional<std::int32_t> parse_low_water_mark(contender_family of,
                                                               std::string_view text);
// True if the low-water mark `mark`, the number up to which all contenders have left, proves that no contender is ahead
// of `self`. `nearest`, the nearest predecessor of `self`, is gone. Numbers are compared by their signed distance. A
// mark with the number of `self`, or with a later number, proves nothing.
[[nodiscard]] bool leaves_nobody_ahead(std::int32_t mark, std::int32_t nearest, std::int32_t self);

// crash_mark: a znode that remains on the servers when a holder crashes, so that the next contender waits for the lock
// delay.
//
// The mark is a persistent znode beside the lock's path. The holder creates it before its grant. An orderly release
// removes it in the same transaction as the holder's own znode. While the holder lives, no other contender reads the
// mark. So a contender that finds a mark knows that the holder has crashed. That contender writes " left" into the
// mark. The time stamp of this write is an instant at which the crash had already happened, so later contenders wait
// for less time.
struct crash_mark {
    std::string holder;  // the GUID in the holder's contender name
    std::int64_t delay_ms = 0;
    bool noted = false;  // another contender has noted in the mark that the holder crashed
    friend bool operator==(const crash_mark&, const crash_mark&) = default;
};

// Returns the path of the crash mark, the znode that remains when a holder crashes: "/locks/orders-holder" for
// "/locks/orders".
[[nodiscard]] std::string crash_mark_path(std::string_view folder);
// Returns the text of the crash mark: "<holder> <delay in ms>". If `mark.noted` is true, " left" follows.
[[nodiscard]] std::string crash_mark_text(const crash_mark& mark);
[[nodiscard]] std::optional<crash_mark> parse_crash_mark(std::string_view text);

// revocation_text: a text that an operator writes into a contender's znode. It requests or orders that the contender
// gives up the lock or the position in the queue.
//
// `ask` is a request: the library reports it to the holder, which may give up the lock. `take` is an order: the client
// that reads it gives up. The operator's program removes the znode when the holder has given up, or when the holder's
// lease must have ended (docs/why/revocation.md).
//
// The text follows the contender's own data and is percent-escaped like these data: `... revoke=take by=ops why=stuck`.
// Curator's `__REVOKE__` and `unlock` replace the data, and the library treats them as requests. A Curator holder
// accepts a request only if its whole data are `__REVOKE__`, so a request to a Curator holder has that form.
struct revocation_text {
    enum class how { ask, take } manner = how::ask;
    std::string by;   // the operator or program; empty if longer than k_longest_words
    std::string why;  // the reason, with the same limit
    friend bool operator==(const revocation_text&, const revocation_text&) = default;
};

inline constexpr std::string_view k_curators_request = "__REVOKE__";
// Limit, in bytes, for the operator's name (`by`) and for the reason (`why`) in an operator's text.
inline constexpr std::size_t k_longest_words = 1024;

// True if the data may be from a contender of another library that obeys Curator's request `__REVOKE__`. These data are
// the host's address, without the words that Turnstile writes.
[[nodiscard]] bool follows_curators_request(std::string_view data);

[[nodiscard]] std::optional<revocation_text> parse_revocation(std::string_view data);
[[nodiscard]] std::string with_order(std::string_view data, const revocation_text& order);
// Returns `data` without the texts of operators at its end whose `by` and `why` are the same as in `order`.
[[nodiscard]] std::string_view without_orders(std::string_view data, const revocation_text& order);

}  // namespace turnstile::core
