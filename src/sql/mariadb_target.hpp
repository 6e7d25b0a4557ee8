// SPDX-License-Identifier: Apache-2.0
// mariadb_target: a parsed connect string for MariaDB or MySQL: the hosts, the credentials and the parameters.
//
//     mysql://user:password@db1:3306,db2:3306/shop?ssl_ca=/etc/ssl/db.pem
//     mysql://shop@localhost/shop?socket=/run/mysqld/mysqld.sock
//     mysql:///shop?defaults_file=/etc/shop.cnf
//
// | parameter                                  | meaning                                                              |
// |--------------------------------------------|----------------------------------------------------------------------|
// | socket                                     | the path of the server's Unix socket, in place of a host             |
// | defaults_file, defaults_group              | a file of options for MariaDB's programs: user, password ...         |
// | ssl=true                                   | the connection must be encrypted, and the server verified            |
// | ssl_ca, ssl_capath, ssl_fp                 | trusted authorities, or the fingerprint of the server's certificate  |
// | ssl_cert, ssl_key, ssl_key_password        | the client's certificate, its key, and the key's password            |
// | ssl_cipher, ssl_crl, ssl_crlpath, tls_version | these parameters have libmariadb's meaning                        |
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
    std::vector<mariadb_host> hosts;  // the client tries one after the other; empty: the socket
    std::string user;                 // empty: the user of the option file or the system
    std::string password;
    std::string database;
    std::map<std::string, std::string> parameters;  // by the names in the table above

    // Returns the value of a parameter; empty if the connect string does not have it.
    [[nodiscard]] std::string parameter(const std::string& name) const;
    // True if the connection must be encrypted and the client must verify the server's certificate.
    [[nodiscard]] bool encrypted() const;
};

[[nodiscard]] bool is_mariadb(std::string_view connect_string) noexcept;

// Parses a connect string without `chroot`. Fails with errc::bad_connect_string. The message names the violated rule,
// and contains no text that may belong to a password.
[[nodiscard]] result<mariadb_target> parse_mariadb_target(std::string_view connect_string);

// Returns the connect string with the scheme "mysql://" in place of another scheme for MariaDB.
[[nodiscard]] std::string normal_mariadb(std::string_view connect_string);

}  // namespace turnstile::sql
