// SPDX-License-Identifier: Apache-2.0
// tls_options: settings for TLS to ZooKeeper servers: the trusted authorities and the client's certificate.
//
//     turnstile::client locks{"zk1:2281,zk2:2281,zk3:2281", {.tls = {.enabled = true, .ca_file = "/etc/zk/ca.crt"}}};
//
// A connect string can have the same settings: zookeepers://zk1:2281,zk2:2281,zk3:2281?ca_file=/etc/zk/ca.crt
// (docs/how-to/tls.md). The constructor of `client` throws `bad_option` if the connect string and these options both
// have settings, or if a file cannot be used. The client reads the files again for each connection, so the next
// connection uses a renewed certificate.
//
// TLS needs the module libturnstile-tls. Thread safety: a value.
#pragma once

#include <string>

#include "turnstile/language.hpp"

namespace turnstile {

// The files and the checks of TLS to ZooKeeper servers.
struct tls_options {
    bool enabled = false;     // true: the client connects with TLS
    std::string ca_file{};    // PEM; empty: the authorities of the system
    std::string cert_file{};  // PEM: the client's certificate and its chain; empty: none
    std::string key_file{};   // PEM; refused if other users can open it
    std::string
        key_password_file{};  // its first line is the password of key_file; refused if other users can open it
    std::string
        crl_file{};  // PEM: revocation lists of every authority in the chain; empty: no check
    // The name that the certificate of every server must have. Empty: each server's certificate must have the server's
    // host name from the connect string.
    std::string server_name{};
    // False: the client accepts a certificate of a trusted authority with any name.
    bool check_host_name = true;
};

}  // namespace turnstile
