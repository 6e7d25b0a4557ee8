// SPDX-License-Identifier: Apache-2.0
// random_digits: a secret, or a name that cannot be guessed. Thread safety: from any thread.
#pragma once

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

#include "support/hexadecimal.hpp"

namespace turnstile::support {

// Returns `Bytes` random bytes from the kernel as hexadecimal digits, two for each byte. Throws std::system_error.
template <std::size_t Bytes>
[[nodiscard]] std::string random_digits() {
    static_assert(Bytes <= 256,
                  "getrandom() may fill only a part of an array of more than 256 bytes");
    std::array<unsigned char, Bytes> bytes{};
    while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        if (errno != EINTR) throw std::system_error{errno, std::generic_category(), "getrandom"};
    }
    return hexadecimal_digits(bytes);
}

}  // namespace turnstile::support
