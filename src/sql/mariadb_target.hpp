// SPDX-License-Identifier: Apache-2.0
// mariadb_target: a connect string's MariaDB server, parsed and checked.
//
//     mysql://user:password@db1:3306,db2:3306/shop?ssl_ca=/etc/ssl/db.pem
//     mysql://shop@localhost/shop?socket=/run/mysqld/mysqld.sock
//     mysql:///shop?defaults_file=/etc/shop.cnf
//
// | parameter                                  | meaning                                                              |
// |--------------------------------------------|----------------------------------------------------------------------|
// | socket                                     | a socket of the system in place of a host                            |
// | defaults_file, defaults_group              | a file of options, as MariaDB's programs read: user, password ...    |
// | ssl=true                                   | an encrypted connection to a verified server, or none                |
// | ssl_ca, ssl_capath, ssl_fp                 | trusted authorities, or the certificate's fingerprint                |
// | ssl_cert, ssl_key, ssl_key_password        | the client's certificate                                             |
// | ssl_cipher, ssl_crl, ssl_crlpath, tls_version | as libmariadb has them                                            |
//
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/result.hpp"

namespace turnstile::sql {

struct mariadb_host {
    std::string name;
    std::uint16_t port = 3306;
    friend bool operator==(const mariadb_host&, const mariadb_host&) = default;
};

struct mariadb_target {
    std::vector<mariadb_host> hosts;  // tried one after the other; none: the socket
    std::string user;                 // empty: the option file's, else the system's
    std::string password;
    std::string database;
    std::map<std::string, std::string> parameters;  // by the names above

    // Empty if it is absent.
    [[nodiscard]] std::string parameter(const std::string& name) const;
    // The connection is encrypted, and the client verifies the server's certificate.
    [[nodiscard]] bool encrypted() const;
};

[[nodiscard]] bool is_mariadb(std::string_view connect_string) noexcept;

// Parses a connect string without `chroot`. Fails with errc::bad_connect_string and the broken rule; the message
// repeats no text that could be part of a password.
[[nodiscard]] result<mariadb_target> parse_mariadb_target(std::string_view connect_string);

// Returns the connect string with the scheme in its normal form, "mysql://".
[[nodiscard]] std::string normal_mariadb(std::string_view connect_string);

}  // namespace turnstile::sql
