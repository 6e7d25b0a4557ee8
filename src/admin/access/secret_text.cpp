// SPDX-License-Identifier: Apache-2.0
#include "admin/access/secret_text.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

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

namespace {

constexpr std::string_view k_scheme = "scrypt";
constexpr std::size_t k_key_bytes = 32;
constexpr std::uint64_t k_most_memory = 64 * 1'024 * 1'024;
constexpr std::uint64_t k_most_passes = 4;
constexpr std::uint64_t k_least_n = 1'024;
constexpr std::size_t k_least_salt = 8;
constexpr std::size_t k_most_salt = 64;

std::string digits_of(std::string_view bytes) {
    std::string text;
    for (const char each : bytes)
        support::append_hexadecimal(text, static_cast<unsigned char>(each));
    return text;
}

std::optional<std::string> bytes_of(std::string_view digits) {
    std::string bytes;
    for (; !digits.empty(); digits.remove_prefix(2)) {
        const auto byte = support::byte_of_hexadecimal(digits);
        if (!byte) return std::nullopt;
        bytes += static_cast<char>(*byte);
    }
    return bytes;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
    std::uint64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [last, problem] = std::from_chars(text.data(), end, value);
    if (text.empty() || last != end || problem != std::errc{}) return std::nullopt;
    return value;
}

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find('$');
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool is_power_of_two(std::uint64_t n) noexcept {
    return n != 0 && (n & (n - 1)) == 0;
}

bool are_possible(std::uint64_t n, std::uint64_t r, std::uint64_t p) noexcept {
    if (!is_power_of_two(n) || n < k_least_n || n > k_most_memory) return false;
    return r != 0 && r <= k_most_memory / (128 * n) && p != 0 && p <= k_most_passes;
}

}  // namespace

password_hash password_hash::of(std::string_view password) {
    password_hash fresh;
    fresh.salt_ = bytes_of(support::random_digits<16>()).value();
    fresh.key_ = fresh.derive(password);
    return fresh;
}

password_hash password_hash::of_nobody() {
    password_hash fresh;
    fresh.salt_ = std::string(16, '\0');
    return fresh;
}

std::optional<password_hash> password_hash::parse(std::string_view text) {
    const auto parts = parts_of(text);
    if (parts.size() != 6 || parts[0] != k_scheme) return std::nullopt;
    const auto n = number_of(parts[1]);
    const auto r = number_of(parts[2]);
    const auto p = number_of(parts[3]);
    const auto salt = bytes_of(parts[4]);
    const auto key = bytes_of(parts[5]);
    if (!n || !r || !p || !salt || !key || !are_possible(*n, *r, *p)) return std::nullopt;
    if (salt->size() < k_least_salt || salt->size() > k_most_salt || key->size() != k_key_bytes)
        return std::nullopt;
    password_hash found;
    found.n_ = *n;
    found.r_ = *r;
    found.p_ = *p;
    found.salt_ = *salt;
    found.key_ = *key;
    return found;
}

std::string password_hash::derive(std::string_view password) const {
    std::array<unsigned char, k_key_bytes> key{};
    const std::vector<unsigned char> salt{salt_.begin(), salt_.end()};
    constexpr auto k_room = 2 * k_most_memory;  // OpenSSL counts its own blocks, too
    if (::EVP_PBE_scrypt(password.data(), password.size(), salt.data(), salt.size(), n_, r_, p_,
                         k_room, key.data(), key.size()) != 1)
        throw std::runtime_error{"OpenSSL cannot compute scrypt"};
    return {key.begin(), key.end()};
}

bool password_hash::matches(std::string_view password) const {
    const auto derived = derive(password);
    return key_.size() == derived.size() &&
           ::CRYPTO_memcmp(key_.data(), derived.data(), derived.size()) == 0;
}

std::string password_hash::text() const {
    return std::string{k_scheme} + "$" + std::to_string(n_) + "$" + std::to_string(r_) + "$" +
           std::to_string(p_) + "$" + digits_of(salt_) + "$" + digits_of(key_);
}

}  // namespace turnstile::admin
