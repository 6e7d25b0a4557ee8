// SPDX-License-Identifier: Apache-2.0
// sasl_options: settings with which a client authenticates at ZooKeeper servers by SASL.
//
//     turnstile::client locks{"zk1,zk2,zk3", {.sasl = {.user = "shop", .password_file = "/etc/shop/zk-password"}}};
//
// A connect string can have the same settings:
// zookeeper://zk1,zk2,zk3?sasl_user=shop&sasl_password_file=/etc/shop/zk-password (docs/how-to/sasl.md). The
// constructor of `client` throws `bad_option` if the connect string and these options both have settings, or if the
// file cannot be used. The client authenticates each connection, also the connections of a new session after an expiry.
// For each connection it reads the file again, or uses the Kerberos ticket that the process has then.
//
// SASL needs the module libturnstile-tls, built with Cyrus SASL. Thread safety: a value.
#pragma once

#include <string>

#include "turnstile/language.hpp"

namespace turnstile {

// The SASL mechanism of a ZooKeeper server. Each server uses one of these two mechanisms.
enum class sasl_mechanism {
    digest_md5,  // a user and a password
    gssapi       // Kerberos: with the ticket or the client keytab of the process
};

// The client authenticates if `user` is set, or if `mechanism` is GSSAPI. Otherwise the other members must be empty, or
// the constructor of `client` throws `bad_option`.
struct sasl_options {
    // The mechanism of the servers.
    sasl_mechanism mechanism = sasl_mechanism::digest_md5;
    // For DIGEST-MD5: the user, and either the password or a file whose first line is the password. A file that other
    // users can open is refused.
    std::string user{};
    std::string password{};
    std::string password_file{};
    // For GSSAPI: the principal of a server is service/host@REALM. If `service` is empty, it is "zookeeper".
    // `server_name` is the host in the principal of every server. If it is empty, the principal of each server has the
    // server's host from the connect string.
    std::string service{};
    std::string server_name{};
    friend bool operator==(const sasl_options&, const sasl_options&) = default;
};

}  // namespace turnstile
