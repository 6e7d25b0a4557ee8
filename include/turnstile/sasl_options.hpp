// SPDX-License-Identifier: Apache-2.0
// sasl_options: how a client authenticates at ZooKeeper servers with SASL.
//
//     turnstile::client locks{"zk1,zk2,zk3", {.sasl = {.user = "shop", .password_file = "/etc/shop/zk-password"}}};
//
// The connect string says the same: zookeeper://zk1,zk2,zk3?sasl_user=shop&sasl_password_file=/etc/shop/zk-password
// (docs/how-to/sasl.md). Both at once are refused with `bad_option`, and so is a file that cannot be used when the
// client is made. The client authenticates each connection, also in the next session after an expiry. For each
// connection it reads the file again, or takes the Kerberos ticket of that time.
//
// It needs the module libturnstile-tls, built with Cyrus SASL. Thread safety: a value.
#pragma once

#include <string>

#include "turnstile/language.hpp"

namespace turnstile {

// The mechanism of a ZooKeeper server, which has one of the two.
enum class sasl_mechanism {
    digest_md5,  // a user and a password
    gssapi       // Kerberos: the ticket, or the client keytab, that Kerberos finds for the process
};

// The client authenticates if there is a user, or with GSSAPI. Otherwise the other fields are refused with
// `bad_option`.
struct sasl_options {
    // The mechanism of the servers.
    sasl_mechanism mechanism = sasl_mechanism::digest_md5;
    // For DIGEST-MD5: the user, and either the password or a file whose first line is the password. A file that other
    // users can open is refused.
    std::string user{};
    std::string password{};
    std::string password_file{};
    // For GSSAPI: the principals of the servers are service/host@REALM. `service` empty: "zookeeper". `server_name` is
    // the host in the principal of every server; empty: each server's host from the connect string.
    std::string service{};
    std::string server_name{};
    friend bool operator==(const sasl_options&, const sasl_options&) = default;
};

}  // namespace turnstile
