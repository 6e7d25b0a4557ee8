// SPDX-License-Identifier: Apache-2.0
// make_socket_bio: a socket as OpenSSL's BIO. When OpenSSL's own BIO writes to a connection that has ended, it raises
// SIGPIPE in the program's threads; this BIO does not.
//
// Thread safety: see OpenSSL's rules for BIOs.
#pragma once

#include <openssl/bio.h>

namespace turnstile::tls {

// Returns a BIO that does not own the descriptor; null if memory is exhausted.
[[nodiscard]] BIO* make_socket_bio(int fd);

}  // namespace turnstile::tls
