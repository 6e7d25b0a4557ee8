// SPDX-License-Identifier: Apache-2.0
// sha1: the digest that scripts on a Redis server compute, too. name_guid: a UUID (version 5) that is made of a digest.
//
//     support::hexadecimal_digits(sha1("abc"))  // "a9993e364706816aba3e25717850c26c9cd0d89d"
//     name_guid("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "example.org")  // "aad03681-8b63-5304-89e0-8ca8f49461b5"
//
// Use it only for texts that no attacker chooses: an attacker can construct two texts with the same SHA-1.
// Source: FIPS 180-4; RFC 4122, 4.3.
//
// Thread safety: pure functions.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace turnstile::base {

using sha1_digest = std::array<unsigned char, 20>;

[[nodiscard]] sha1_digest sha1(std::string_view text);

// Returns the UUID of `name` in the name space `space`, which is itself a UUID, written in 36 characters.
[[nodiscard]] std::string name_guid(std::string_view space, std::string_view name);

}  // namespace turnstile::base
