// SPDX-License-Identifier: Apache-2.0
#include "admin/access/address_list.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace turnstile::admin {
namespace {

constexpr std::size_t k_ipv4_bytes = 4;
constexpr std::size_t k_ipv6_bytes = 16;
constexpr std::string_view k_ipv4_inside{"\0\0\0\0\0\0\0\0\0\0\xff\xff", 12};

bool has_bits_of(const std::string& address, const std::string& other, std::size_t bits) {
    const auto whole = bits / 8;
    if (address.compare(0, whole, other, 0, whole) != 0) return false;
    const auto rest = bits % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<unsigned char>(0xffU << (8 - rest));
    return (static_cast<unsigned char>(address[whole] ^ other[whole]) & mask) == 0;
}

}  // namespace

std::string address_bytes(std::string_view text) {
    const std::string ended{text};
    std::array<char, k_ipv6_bytes> room{};
    if (::inet_pton(AF_INET, ended.c_str(), room.data()) == 1) return {room.data(), k_ipv4_bytes};
    if (::inet_pton(AF_INET6, ended.c_str(), room.data()) != 1) return {};
    const std::string bytes{room.data(), room.size()};
    return bytes.starts_with(k_ipv4_inside) ? bytes.substr(k_ipv4_inside.size()) : bytes;
}

address_list::address_list(const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
        const auto slash = text.find('/');
        block found{address_bytes(std::string_view{text}.substr(0, slash)), 0};
        found.bits = 8 * found.bytes.size();
        bool good = !found.bytes.empty();
        if (slash != std::string::npos) {
            std::size_t bits = 0;
            const auto* const end = text.data() + text.size();
            const auto [last, problem] = std::from_chars(text.data() + slash + 1, end, bits);
            good = good && problem == std::errc{} && last == end && bits <= found.bits;
            found.bits = bits;
        }
        if (!good)
            throw std::runtime_error{
                text +
                ": expected an address, such as 127.0.0.1, or a block, such as "
                "10.0.0.0/8"};
        blocks_.push_back(std::move(found));
    }
}

bool address_list::include(std::string_view address) const {
    const auto bytes = address_bytes(address);
    return std::any_of(blocks_.begin(), blocks_.end(), [&](const block& each) {
        return bytes.size() == each.bytes.size() && has_bits_of(bytes, each.bytes, each.bits);
    });
}

}  // namespace turnstile::admin
