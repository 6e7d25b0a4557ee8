// SPDX-License-Identifier: Apache-2.0
// ensemble_address: the servers and the path that a connect string names, after parsing and checking.
//
//     auto parsed = zookeeper::parse_connect_string("zk1:2181,zk2:2181,[::1]:2181/shop");
//
// The form is host[:port][,host[:port]]...[/chroot]:
// - The default port is 2181. An IPv6 address is written in brackets, so that its last part is not read as the port.
//   Its zone follows '%' or, as in URLs, "%25".
// - A host is a name or an address: letters, digits, '.', '-', '_', in brackets also ':' and '%'. Blanks beside commas
//   are ignored; no other blank is allowed, because the C client would try to resolve it.
// - The chroot follows the rules for paths (base/path.hpp). A lone "/" at the end means no chroot.
//
// With TLS the form is zookeepers://host[:port][,host[:port]]...[/chroot][?options], and the default port is 2281:
//
// | option                                | meaning                                                             |
// |---------------------------------------|---------------------------------------------------------------------|
// | ca_file                               | the trusted authorities; default: the system's                      |
// | cert_file, key_file, key_password_file | the client's certificate, for servers that require one             |
// | crl_file                              | revocation lists of the authorities                                 |
// | verify                                | full (the default), ca (a known authority, any name), none          |
// | server_name                           | the name in the certificates, in place of the servers' hosts        |
//
// With SASL, with or without TLS, the form may begin with zookeeper://, and has these further options:
//
// | option                        | meaning                                                                     |
// |-------------------------------|-----------------------------------------------------------------------------|
// | sasl_mechanism                | DIGEST-MD5 (the default) or GSSAPI, which is Kerberos                       |
// | sasl_user, sasl_password_file | for DIGEST-MD5; the password is the first line of the file                  |
// | sasl_service                  | for GSSAPI: the service in the servers' principals; default: zookeeper      |
// | sasl_server_name              | for GSSAPI: the host in every principal, in place of the servers' hosts     |
//
// In a value, '&' and '%' are percent-encoded.
//
// Thread safety: a value and pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tls/sasl.hpp"
#include "tls/tls.hpp"
#include "turnstile/result.hpp"

namespace turnstile::zookeeper {

inline constexpr std::uint16_t k_default_port = 2181;
inline constexpr std::uint16_t k_default_secure_port = 2281;
inline constexpr std::string_view k_secure_scheme = "zookeepers://";
inline constexpr std::string_view k_plain_scheme = "zookeeper://";
// The largest number of hosts. No ensemble is larger, so a larger number is a mistake.
inline constexpr std::size_t k_most_hosts = 64;

struct server_security {
    tls::settings tls{};
    sasl_options sasl{};
    // True if the servers may identify the client by a user, a Kerberos principal or a certificate.
    [[nodiscard]] bool has_identity() const noexcept {
        return tls::is_enabled(sasl) || (tls.enabled && !tls.cert_file.empty());
    }
};

struct ensemble_server {
    std::string host;  // without brackets
    std::uint16_t port = 0;
    std::shared_ptr<const server_security> security{};  // null: without TLS and SASL
    friend bool operator==(const ensemble_server& a, const ensemble_server& b) {
        return a.host == b.host && a.port == b.port && !a.security == !b.security;
    }
};

struct ensemble_address {
    std::vector<ensemble_server> servers;
    std::string chroot;  // empty or "/a/b"
    // Returns the security that all servers share, or null without TLS and SASL.
    [[nodiscard]] const server_security* security() const noexcept {
        return servers.empty() ? nullptr : servers.front().security.get();
    }
    friend bool operator==(const ensemble_address&, const ensemble_address&) = default;
};

// Fails with `errc::bad_connect_string`, also for a bad chroot. The message names the value and the rule.
[[nodiscard]] result<ensemble_address> parse_connect_string(std::string_view text);

// True if the connect string has a scheme, and so may have options.
[[nodiscard]] inline bool has_own_scheme(std::string_view text) noexcept {
    return text.starts_with(k_secure_scheme) || text.starts_with(k_plain_scheme);
}

// Sets TLS, SASL or both for all servers, as far as `wanted` enables them. Fails with `errc::bad_option` if the connect
// string already sets what `wanted` enables, or if the settings contradict each other.
[[nodiscard]] result<void> secure(ensemble_address& servers, server_security wanted);

// The form of an IPv6 address. The C client knows no brackets and takes the text after the last colon as the port:
// "::1:2181".
enum class address_form { for_people, for_c_client };

// Returns only the servers, such as "a:1,[::1]:2".
[[nodiscard]] std::string hosts_of(const ensemble_address& value, address_form form);
// Returns "a:1,b:2/chroot", or with TLS "zookeepers://a:1,b:2/chroot", without the options.
[[nodiscard]] std::string to_string(const ensemble_address& value);

}  // namespace turnstile::zookeeper
