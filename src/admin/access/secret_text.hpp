// SPDX-License-Identifier: Apache-2.0
// Functions on single secrets: how they are read, compared, digested and drawn.
//
// Thread safety: from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile::admin {

// The first line of a file that only its owner can open. Throws std::runtime_error: what is wrong with the file, or a
// line that is shorter than `least` characters.
[[nodiscard]] std::string read_secret_file(const std::string& file, std::size_t least);

// A comparison in constant time: of the two digests, all their bytes.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

// The SHA-256 of a text, in hexadecimal digits.
[[nodiscard]] std::string digest_text(std::string_view text);

// 256 bits of the kernel's randomness, in hexadecimal digits. Throws std::system_error.
[[nodiscard]] std::string random_secret();

}  // namespace turnstile::admin
