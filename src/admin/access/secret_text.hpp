// SPDX-License-Identifier: Apache-2.0
// secret_text: functions that read, compare, digest and generate secrets. password_hash: a hashed password.
//
// Thread safety: functions from any thread; a password_hash is a value, its const members from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// A hashed password as in a users file: scrypt (RFC 7914) with a salt:
//
//     scrypt$16384$8$1$SALT$KEY      N, r, p; salt and key in hexadecimal digits
//
// A check takes about 50 ms and 128 * N * r bytes (16 MiB with these numbers). So callers must limit the number of
// simultaneous checks.
class password_hash {
public:
    // Hashes a password with a new random salt. Throws std::system_error, or std::runtime_error if OpenSSL lacks a
    // function.
    [[nodiscard]] static password_hash of(std::string_view password);
    // Parses a hash in the form "scrypt$N$r$p$SALT$KEY". Returns nothing if the text has another form, or if a check of
    // a password would need more than 64 MiB.
    [[nodiscard]] static std::optional<password_hash> parse(std::string_view text);
    // Returns a hash that matches no password, for unknown users. Its check takes as long as a real check.
    [[nodiscard]] static password_hash of_nobody();

    [[nodiscard]] bool matches(std::string_view password) const;
    [[nodiscard]] std::string text() const;

private:
    password_hash() = default;
    [[nodiscard]] std::string derive(std::string_view password) const;

    std::uint64_t n_ = 16'384;
    std::uint64_t r_ = 8;
    std::uint64_t p_ = 1;
    std::string salt_;  // bytes
    std::string key_;
};

}  // namespace turnstile::admin
