// SPDX-License-Identifier: Apache-2.0
// certificate_authority: makes certificates for tests of TLS, with the program `openssl`.
//
//     certificate_authority ours;
//     const auto server = ours.issue("zk", {.names = "DNS:localhost,IP:127.0.0.1"});
//     ours.revoke(server);  // adds it to the revocation list
//
// All files are PEM, in a temporary folder that the destructor removes. The keys are elliptic-curve keys (P-256).
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
        key_store{};  // key and certificate in one file, for ZooKeeper's ssl.keyStore.location
};

// The properties of a certificate.
struct certificate_request {
    std::string names = "DNS:localhost,IP:127.0.0.1";  // subject names, as openssl writes them
    bool expired = false;    // true: the certificate was valid for a year and has expired
    std::string password{};  // password of the key; empty: none
};

// An authority with a key, a certificate and a revocation list.
class certificate_authority {
public:
    // Makes an authority. `name` is the common name of its certificate. The constructor and the members throw
    // std::runtime_error if `openssl` is missing or fails; the message has the output of `openssl`.
    explicit certificate_authority(const std::string& name = "authority");

    // Returns the file with the authority's certificate.
    [[nodiscard]] std::string certificate() const { return (folder_.path() / "ca.crt").string(); }
    // Returns the file with the authority's revocation list.
    [[nodiscard]] std::string revocations() const { return (folder_.path() / "ca.crl").string(); }

    // Issues a certificate with the file name `name`. The call replaces the files of an earlier certificate with this
    // name, as a renewal does.
    issued_certificate issue(const std::string& name, const certificate_request& wanted = {});
    // Adds the certificate to the revocation list.
    void revoke(const issued_certificate& which);

private:
    void run(std::vector<std::string> command) const;
    void renew_revocations() const;

    temporary_folder folder_;
};

}  // namespace turnstile::testing
