// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::core {

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
