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
// With TLS it is zookeepers://host[:port][,host[:port]]...[/chroot][?options], and the port is 2281 where there is none:
//
// | option                                | what it is                                                          |
// |---------------------------------------|---------------------------------------------------------------------|
// | ca_file                               | the authorities to trust; without it those of the system            |
// | cert_file, key_file, key_password_file | what the client shows to a server that asks                        |
// | crl_file                              | revocation lists of the authorities                                 |
// | verify                                | full (the default), ca (a known authority, any name), none          |
// | server_name                           | what certificates have to name in place of the servers' hosts       |
//
// The values are percent-encoded where they have '&' or '%'.
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tls/tls.hpp"
#include "turnstile/result.hpp"

namespace turnstile::zookeeper {

inline constexpr std::uint16_t k_default_port = 2181;
inline constexpr std::uint16_t k_default_secure_port = 2281;
inline constexpr std::string_view k_secure_scheme = "zookeepers://";
// So many hosts at most: more is a mistake, no ensemble.
inline constexpr std::size_t k_most_hosts = 64;

struct server_address {
    std::string host;  // without brackets
    std::uint16_t port = 0;
    std::shared_ptr<const tls::settings> security{};  // null: without TLS
    friend bool operator==(const server_address& a, const server_address& b) {
        return a.host == b.host && a.port == b.port && !a.security == !b.security;
    }
};

struct connect_string {
    std::vector<server_address> servers;
    std::string chroot;  // empty or "/a/b"
    // Of all servers alike.
    [[nodiscard]] bool is_secure() const noexcept {
        return !servers.empty() && servers.front().security != nullptr;
    }
    friend bool operator==(const connect_string&, const connect_string&) = default;
};

// Fails with `errc::bad_connect_string`, for a bad chroot too; the message names the value and
// the rule.
[[nodiscard]] result<connect_string> parse_connect_string(std::string_view text);

// True for the form that has TLS.
[[nodiscard]] inline bool has_secure_scheme(std::string_view text) noexcept {
    return text.starts_with(k_secure_scheme);
}

// TLS for all servers, or without `wanted.enabled` none. Fails with `errc::bad_option`.
[[nodiscard]] result<void> secure(connect_string& servers, tls::settings wanted);

// The C client takes what follows the last colon for the port and knows no brackets: "::1:2181".
enum class address_form { for_people, for_c_client };

// The servers alone: "a:1,[::1]:2".
[[nodiscard]] std::string hosts_of(const connect_string& value, address_form form);
// "a:1,b:2/chroot" or "zookeepers://a:1,b:2/chroot": all but the options of TLS.
[[nodiscard]] std::string to_string(const connect_string& value);

}  // namespace turnstile::zookeeper
