// SPDX-License-Identifier: Apache-2.0
// make_socket_bio: makes an OpenSSL BIO for a socket. OpenSSL's own BIO raises SIGPIPE in the program when it writes to
// a closed connection; this BIO does not.
//
// Thread safety: see OpenSSL's rules for BIOs.
#pragma once

#include <openssl/bio.h>

namespace turnstile::tls {

// Returns a BIO that does not own the descriptor; null if memory is exhausted.
[[nodiscard]] BIO* make_socket_bio(int fd);

}  // namespace turnstile::tls
