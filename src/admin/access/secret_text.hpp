// SPDX-License-Identifier: Apache-2.0
// Functions that read, compare, digest and generate secrets.
//
// Thread safety: from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile::admin {

// Returns the first line of a file. Throws std::runtime_error if the file cannot be read, if users other than its owner
// can open it, or if the line is shorter than `least` characters.
[[nodiscard]] std::string read_secret_file(const std::string& file, std::size_t least);

// Compares the two texts' digests in constant time.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

// Returns the SHA-256 of a text, in hexadecimal digits.
[[nodiscard]] std::string digest_text(std::string_view text);

// Returns 256 random bits from the kernel, in hexadecimal digits. Throws std::system_error.
[[nodiscard]] std::string random_secret();

}  // namespace turnstile::admin
