// SPDX-License-Identifier: Apache-2.0
#include "admin/access/secret_text.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "support/hexadecimal.hpp"
#include "support/private_file.hpp"
#include "support/random_digits.hpp"

namespace turnstile::admin {
namespace {

using digest = std::array<unsigned char, 32>;

digest digest_of(std::string_view text) {
    digest result{};
    ::EVP_Digest(text.data(), text.size(), result.data(), nullptr, ::EVP_sha256(), nullptr);
    return result;
}

}  // namespace

std::string digest_text(std::string_view text) {
    return support::hexadecimal_digits(digest_of(text));
}

std::string read_secret_file(const std::string& file, std::size_t least) {
    auto line = support::first_line_of_private_file(file);
    if (line.size() < least)
        throw std::runtime_error{file + ": its first line has " + std::to_string(line.size()) +
                                 " characters; at least " + std::to_string(least) + " are needed"};
    return line;
}

bool same_secret(std::string_view a, std::string_view b) {
    const auto first = digest_of(a);
    const auto second = digest_of(b);
    return ::CRYPTO_memcmp(first.data(), second.data(), first.size()) == 0;
}

std::string random_secret() {
    return support::random_digits<32>();
}

}  // namespace turnstile::admin
