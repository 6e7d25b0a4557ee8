// SPDX-License-Identifier: Apache-2.0
// A socket as OpenSSL's BIO. The BIO of OpenSSL itself raises SIGPIPE in the program's threads when it writes to a
// connection that has ended.
//
// Thread safety: the rules of OpenSSL's BIOs.
#pragma once

#include <openssl/bio.h>

namespace turnstile::tls {

// The BIO does not own the descriptor. Null if memory is exhausted.
[[nodiscard]] BIO* make_socket_bio(int fd);

}  // namespace turnstile::tls
