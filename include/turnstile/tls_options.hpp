// SPDX-License-Identifier: Apache-2.0
// tls_options: TLS to ZooKeeper servers, what is trusted and what is shown.
//
//     turnstile::client locks{"zk1:2281,zk2:2281,zk3:2281", {.tls = {.enabled = true, .ca_file = "/etc/zk/ca.crt"}}};
//
// The connect string says the same: zookeepers://zk1:2281,zk2:2281,zk3:2281?ca_file=/etc/zk/ca.crt
// (docs/how-to/tls.md). Both at once are refused with `bad_option`, and so is a file that cannot be used when the
// client is made. The client reads the files again for each connection, so the next connection uses a renewed
// certificate.
//
// It needs the module libturnstile-tls. Thread safety: a value.
#pragma once

#include <string>

#include "turnstile/language.hpp"

namespace turnstile {

// The files and the checks of TLS to ZooKeeper servers.
struct tls_options {
    bool enabled = false;     // true: the client connects with TLS
    std::string ca_file{};    // PEM; empty: the authorities of the system
    std::string cert_file{};  // PEM, of the client, with its chain; empty: none is shown
    std::string key_file{};   // PEM; refused if other users can open it
    std::string
        key_password_file{};  // its first line opens key_file; refused if other users can open it
    std::string
        crl_file{};  // PEM: revocation lists of every authority in the chain; empty: no check
    // The name that every server's certificate must have. Empty: each certificate must have the server's host name from
    // the connect string.
    std::string server_name{};
    // False: a certificate of a known authority is good for any name.
    bool check_host_name = true;
};

}  // namespace turnstile
