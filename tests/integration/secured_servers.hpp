// SPDX-License-Identifier: Apache-2.0
// Three ZooKeeper servers that accept only TLS, shared by all tests of a program, and the authorities of their
// certificates.
#pragma once

#include "support.hpp"
#include "turnstile/testing/certificate_authority.hpp"

namespace turnstile::tests {

using testing::certificate_authority;
using testing::issued_certificate;
using testing::server_tls;

struct authorities {
    certificate_authority ours{"ours"};
    certificate_authority others{"others"};
    issued_certificate server = ours.issue("server");
    issued_certificate client = ours.issue("client");
};

inline authorities& files() {
    static authorities all;
    return all;
}

// Options for servers that require a certificate of the client.
inline server_tls demanding() {
    return {.authority = files().ours.certificate(),
            .key_store = files().server.key_store,
            .client_certificates = true,
            .client_certificate = files().client.certificate,
            .client_key = files().client.key};
}

// Returns the servers. The first call starts them.
inline ensemble& three() {
    static ensemble shared{{.count = 3, .tls = demanding()}};
    return shared;
}

}  // namespace turnstile::tests
