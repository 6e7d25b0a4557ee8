// SPDX-License-Identifier: Apache-2.0
// tls_context: the server's certificate and key, for connections that are encrypted (OpenSSL, TLS 1.2 and later, keys by
// Diffie-Hellman alone: who records a connection and steals the server's key later cannot read it).
//
// Thread safety: const members from any thread.
#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace turnstile::admin {

class tls_context {
public:
    // Throws std::runtime_error: a file that cannot be read, or a key that is not the certificate's.
    tls_context(const std::string& certificate_file, const std::string& key_file);

    // A further reference, which the caller frees.
    [[nodiscard]] ssl_ctx_st* share() const;

private:
    struct end {
        void operator()(ssl_ctx_st* context) const noexcept;
    };
    std::unique_ptr<ssl_ctx_st, end> context_;
};

}  // namespace turnstile::admin
