// SPDX-License-Identifier: Apache-2.0
// revocation: an operator's text in a contender's znode, by which the contender should give up its place.
//
// `ask` is a request: the library reports it to the holder, and the holder decides. `take` is an order: the client that
// sees it gives up the place. The znode is removed when the holder has given up, or when its lease must have ended
// (docs/why/revocation.md). The order follows the contender's own data and is percent-escaped like them:
// `... revoke=take by=ops why=stuck`. Curator's `__REVOKE__` and `unlock` replace the data and count as requests. A
// Curator holder compares all of its data with `__REVOKE__`, so a request to it has that form.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::core {

struct revocation {
    enum class how { ask, take } manner = how::ask;
    std::string by;   // the operator, or the program; empty if it is longer than k_longest_words
    std::string why;  // the reason, with the same limit
    friend bool operator==(const revocation&, const revocation&) = default;
};

inline constexpr std::string_view k_curators_request = "__REVOKE__";
// Largest size of `by` and of `why`, in bytes.
inline constexpr std::size_t k_longest_words = 1024;

// True if these data may be of another library's contender that follows Curator's request: Curator writes its host's
// address, and none of the words that Turnstile writes.
[[nodiscard]] bool follows_curators_request(std::string_view data);

// The latest order in the data of a contender, or nothing.
[[nodiscard]] std::optional<revocation> parse_revocation(std::string_view data);
// The data with the order appended.
[[nodiscard]] std::string with_order(std::string_view data, const revocation& order);
// The data without the requests and orders at the end whose words equal those in `order`, of either manner.
[[nodiscard]] std::string_view without_orders(std::string_view data, const revocation& order);

}  // namespace turnstile::core
