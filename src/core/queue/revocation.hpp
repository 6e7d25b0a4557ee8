// SPDX-License-Identifier: Apache-2.0
// revocation: what an operator wrote into the znode of a contender to get it out of the way.
//
// `ask` is a request: the holder is told and decides. `take` is an order: the place is over for the client that sees
// it, and the znode goes once the holder has given it up, or its lease must have ended
// (docs/why/revocation.md). The words stand behind the contender's own, percent-escaped like them:
// `... revoke=take by=ops why=stuck`. Curator's `__REVOKE__` and `unlock`, in place of the data, ask: its holders
// compare all of the data with the former, so it is what theirs are asked by.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::core {

struct revocation {
    enum class how { ask, take } manner = how::ask;
    std::string by;   // the operator, or the program; empty if it is longer than k_longest_words
    std::string why;  // the same
    friend bool operator==(const revocation&, const revocation&) = default;
};

inline constexpr std::string_view k_curators_request = "__REVOKE__";
// In bytes, of each of an order's words.
inline constexpr std::size_t k_longest_words = 1024;

// Whether a contender with these data is another library's that may follow that request: Curator writes its
// host's address, and so no words of ours.
[[nodiscard]] bool follows_curators_request(std::string_view data);

// The latest order in the data of a contender, or nothing.
[[nodiscard]] std::optional<revocation> parse_revocation(std::string_view data);
// The data with the order behind it.
[[nodiscard]] std::string with_order(std::string_view data, const revocation& order);
// The data without the requests and orders at its end that have the words of `order`, in either manner.
[[nodiscard]] std::string_view without_orders(std::string_view data, const revocation& order);

}  // namespace turnstile::core
