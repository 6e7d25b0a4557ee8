// SPDX-License-Identifier: Apache-2.0
// connect_string: which servers, and below which path, taken apart and checked.
//
//     auto parsed = zookeeper::parse_connect_string("zk1:2181,zk2:2181,[::1]:2181/shop");
//
// The form is host[:port][,host[:port]]...[/chroot]:
// - The port is 2181 where there is none. An IPv6 address stands in brackets, so that its last part is not taken for the
//   port; its zone follows '%' or, as in URLs, "%25".
// - A host is a name or an address: letters, digits, '.', '-', '_', in brackets also ':' and '%'. Blanks beside the commas
//   mean nothing; no other is allowed, which the C client would try to resolve.
// - The chroot follows the rules of paths (base/path.hpp); a lone "/" at the end means none.
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/result.hpp"

namespace turnstile::zookeeper {

inline constexpr std::uint16_t k_default_port = 2181;
// So many hosts at most: more is a mistake, no ensemble.
inline constexpr std::size_t k_most_hosts = 64;

struct server_address {
    std::string host;  // without brackets
    std::uint16_t port = 0;
    friend bool operator==(const server_address&, const server_address&) = default;
};

struct connect_string {
    std::vector<server_address> servers;
    std::string chroot;  // empty or "/a/b"
    friend bool operator==(const connect_string&, const connect_string&) = default;
};

// Fails with `errc::bad_connect_string`, for a bad chroot too; the message names the value and
// the rule.
[[nodiscard]] result<connect_string> parse_connect_string(std::string_view text);

// The C client takes what follows the last colon for the port and knows no brackets: "::1:2181".
enum class address_form { for_people, for_c_client };

// The servers alone: "a:1,[::1]:2".
[[nodiscard]] std::string hosts_of(const connect_string& value, address_form form);
// All of it: "a:1,b:2/chroot". The inverse of parse_connect_string.
[[nodiscard]] std::string to_string(const connect_string& value);

}  // namespace turnstile::zookeeper
