// SPDX-License-Identifier: Apache-2.0
// certificate_authority: certificates for tests of TLS, made by the program `openssl`.
//
//     certificate_authority ours;
//     const auto server = ours.issue("zk", {.names = "DNS:localhost,IP:127.0.0.1"});
//     ours.revoke(server);  // from now on its revocation list has it
//
// All files are PEM, of elliptic keys (P-256), in a temporary folder that ends with the object.
//
// Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::testing {

// The files of a certificate.
struct issued_certificate {
    std::string certificate{};  // the certificate
    std::string key{};          // PKCS #8, without a password unless the request has one
    std::string
        key_store{};  // key and certificate, as ssl.keyStore.location of ZooKeeper takes them
};

// The properties of a certificate.
struct certificate_request {
    std::string names = "DNS:localhost,IP:127.0.0.1";  // subject names, as openssl writes them
    bool expired = false;                              // valid only for a year that is over
    std::string password{};                            // the key's; empty: none
};

// An authority with a key, a certificate and a revocation list.
class certificate_authority {
public:
    // Makes an authority. `name` is the common name of its certificate. The constructor and the members throw
    // std::runtime_error if `openssl` is missing or fails; the message has its output.
    explicit certificate_authority(const std::string& name = "authority");

    // Returns the file of its certificate.
    [[nodiscard]] std::string certificate() const { return (folder_.path() / "ca.crt").string(); }
    // Returns the file of its revocation list.
    [[nodiscard]] std::string revocations() const { return (folder_.path() / "ca.crl").string(); }

    // Issues a certificate. It replaces the files of an earlier certificate of this name, as a renewal does.
    issued_certificate issue(const std::string& name, const certificate_request& wanted = {});
    // Adds the certificate to the revocation list.
    void revoke(const issued_certificate& which);

private:
    void run(std::vector<std::string> command) const;
    void renew_revocations() const;

    temporary_folder folder_;
};

}  // namespace turnstile::testing
