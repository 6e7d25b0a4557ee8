// SPDX-License-Identifier: Apache-2.0
// text_of: returns a token, an error, a state or a role as text, for people and logs.
//
//     log(turnstile::text_of(hold.error()) + ", " + turnstile::text_of(servers.state()));
//
// turnstile/ostream.hpp and turnstile/fmt.hpp print the same text. The text of an `errc` is its message in the
// library's error category.
//
// Thread safety: pure functions.
#pragma once

#include <concepts>
#include <string>

#include "turnstile/client.hpp"
#include "turnstile/error.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/fencing_vector.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/owner.hpp"
#include "turnstile/server_role.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile {

namespace detail {

template <class V, class... Types>
inline constexpr bool is_one_of = (std::same_as<V, Types> || ...);

}  // namespace detail

// The types that text_of() accepts.
template <class V>
concept has_text = detail::is_one_of<V, errc, error, fencing_token, fencing_vector, owner,
                                     session_state, server_role, contender_kind>;

// Returns the text of `value`.
template <has_text V>
[[nodiscard]] std::string text_of(const V& value) {
    if constexpr (std::same_as<V, errc>) {
        return make_error_code(value).message();
    } else if constexpr (std::same_as<V, error>) {
        return value.message();
    } else if constexpr (requires { value.to_string(); }) {
        return value.to_string();
    } else {
        return std::string{to_string(value)};
    }
}

}  // namespace turnstile
