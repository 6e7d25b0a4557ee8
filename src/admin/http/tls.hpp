// SPDX-License-Identifier: Apache-2.0
// tls_context: the server's certificate and key for encrypted connections (OpenSSL, TLS 1.2 or later). Only ciphers
// with forward secrecy are allowed: a key that is stolen later does not decrypt a recorded connection.
//
// Thread safety: const members from any thread.
#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace turnstile::admin {

class tls_context {
public:
    // Reads the certificate and the key. Throws std::runtime_error if a file is unreadable, or if the key does not
    // match the certificate.
    tls_context(const std::string& certificate_file, const std::string& key_file);

    // Returns a new reference to OpenSSL's context, which the caller must free.
    [[nodiscard]] ssl_ctx_st* share() const;

private:
    struct end {
        void operator()(ssl_ctx_st* context) const noexcept;
    };
    std::unique_ptr<ssl_ctx_st, end> context_;
};

}  // namespace turnstile::admin
