// SPDX-License-Identifier: Apache-2.0
// tls_context: the server's certificate and key, for connections that are encrypted (OpenSSL, TLS 1.2 and later).
//
// Thread safety: const members from any thread.
#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace turnstile::admin {

struct tls_link_end {
    void operator()(ssl_st* link) const noexcept;
};
using tls_link = std::unique_ptr<ssl_st, tls_link_end>;

class tls_context {
public:
    // Throws std::runtime_error: a file that cannot be read, or a key that is not the certificate's.
    tls_context(const std::string& certificate_file, const std::string& key_file);

    // One side of a connection, which the caller drives.
    [[nodiscard]] tls_link accept(int socket) const;

private:
    struct end {
        void operator()(ssl_ctx_st* context) const noexcept;
    };
    std::unique_ptr<ssl_ctx_st, end> context_;
};

}  // namespace turnstile::admin
