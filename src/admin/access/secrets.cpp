// SPDX-License-Identifier: Apache-2.0
#include "admin/access/secrets.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "guardian/descriptor.hpp"

namespace turnstile::admin {
namespace {

constexpr std::string_view k_bearer = "Bearer ";

using digest = std::array<unsigned char, 32>;

digest digest_of(std::string_view text) {
    digest result{};
    ::EVP_Digest(text.data(), text.size(), result.data(), nullptr, ::EVP_sha256(), nullptr);
    return result;
}

std::string hexadecimal(const digest& bytes) {
    std::string text;
    constexpr std::string_view k_digits = "0123456789abcdef";
    for (const auto byte : bytes) {
        text += k_digits[byte >> 4U];
        text += k_digits[byte & 15U];
    }
    return text;
}

}  // namespace

std::string digest_text(std::string_view text) {
    return hexadecimal(digest_of(text));
}

std::string read_secret_file(const std::string& file, std::size_t least) {
    const guardian::descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat about {};
    if (!opened.open() || ::fstat(opened.get(), &about) != 0)
        throw std::runtime_error{file + ": " + std::strerror(errno)};
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw std::runtime_error{file + ": other users can open it; chmod 600 " + file};
    std::array<char, 1024> room{};
    const auto size = ::read(opened.get(), room.data(), room.size());
    if (size < 0) throw std::runtime_error{file + ": " + std::strerror(errno)};
    std::string line{room.data(), static_cast<std::size_t>(size)};
    line.resize(std::min(line.find_first_of("\r\n"), line.size()));
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
    digest bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error{"the kernel gives no random numbers"};
    return hexadecimal(bytes);
}

bool secrets::is_authorization(std::string_view header) const {
    return !token.empty() && header.starts_with(k_bearer) &&
           same_secret(header.substr(k_bearer.size()), token);
}

}  // namespace turnstile::admin
