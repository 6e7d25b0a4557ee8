// SPDX-License-Identifier: Apache-2.0
#include "guardian/listener.hpp"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace turnstile::guardian {

std::string random_name() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::system_error{errno, std::generic_category(), "getrandom"};
    std::string result = "@turnstile-guardian-";
    for (const unsigned byte : bytes) {
        result += "0123456789abcdef"[byte >> 4U];
        result += "0123456789abcdef"[byte & 15U];
    }
    return result;
}

descriptor open_listener(const std::string& name) {
    descriptor result{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    if (!result.open() ||
        ::bind(result.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
        ::listen(result.get(), SOMAXCONN) != 0)
        throw std::system_error{errno, std::generic_category(), "the guardian's socket"};
    return result;
}

}  // namespace turnstile::guardian
