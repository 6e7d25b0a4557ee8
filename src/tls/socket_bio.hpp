// SPDX-License-Identifier: Apache-2.0
// A socket as OpenSSL's BIO. OpenSSL's own one raises SIGPIPE in the program's threads when it writes to a connection
// that has ended.
//
// Thread safety: as BIOs.
#pragma once

#include <openssl/bio.h>

namespace turnstile::tls {

// It does not own the descriptor. Null for want of memory.
[[nodiscard]] BIO* make_socket_bio(int fd);

}  // namespace turnstile::tls
