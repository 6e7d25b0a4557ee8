// SPDX-License-Identifier: Apache-2.0
#include "guardian/listener.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "base/random_digits.hpp"

namespace turnstile::guardian {

std::string random_name() {
    return "@turnstile-guardian-" + base::random_digits<16>();
}

base::descriptor open_listener(const std::string& name) {
    base::descriptor result{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
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
