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

// Files.
struct issued_certificate {
    std::string certificate{};
    std::string key{};  // PKCS #8, without a password unless the request has one
    std::string
        key_store{};  // key and certificate, as ssl.keyStore.location of ZooKeeper takes them
};

struct certificate_request {
    std::string names = "DNS:localhost,IP:127.0.0.1";  // that it is for, as openssl writes them
    bool expired = false;                              // for a year that is over
    std::string password{};                            // of the key; empty: none
};

class certificate_authority {
public:
    // Throws std::runtime_error if `openssl` is missing or fails, with what it said; so do the members.
    explicit certificate_authority(const std::string& name = "authority");

    [[nodiscard]] std::string certificate() const { return (folder_.path() / "ca.crt").string(); }
    // Its revocation list.
    [[nodiscard]] std::string revocations() const { return (folder_.path() / "ca.crl").string(); }

    // The files of an earlier certificate of this name are replaced, as a renewal does.
    issued_certificate issue(const std::string& name, const certificate_request& wanted = {});
    void revoke(const issued_certificate& which);

private:
    void run(std::vector<std::string> command) const;
    void renew_revocations() const;

    temporary_folder folder_;
};

}  // namespace turnstile::testing
