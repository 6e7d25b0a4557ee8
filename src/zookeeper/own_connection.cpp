// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/own_connection.hpp"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <memory>
#include <optional>

namespace turnstile::zookeeper {
namespace {

constexpr int k_most_without_proc = 65'536;

using name_call = int (*)(int, sockaddr*, socklen_t*);

std::optional<sockaddr_in> address_by(name_call call, int descriptor) noexcept {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    if (call(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
        address.sin_family != AF_INET)
        return std::nullopt;
    return address;
}

bool same(const std::optional<sockaddr_in>& a, const sockaddr_in& b) noexcept {
    return a && a->sin_port == b.sin_port && a->sin_addr.s_addr == b.sin_addr.s_addr;
}

// Calls `is_wanted` for each descriptor, until it returns true. Returns whether it returned true.
template <class Predicate>
bool any_descriptor(Predicate&& is_wanted) noexcept {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/proc/self/fd"), &::closedir};
    if (!folder) {
        for (int each = 0; each != k_most_without_proc; ++each)
            if (is_wanted(each)) return true;
        return false;
    }
    while (const dirent* const entry = ::readdir(folder.get()))
        if (entry->d_name[0] != '.' && is_wanted(std::atoi(entry->d_name))) return true;
    return false;
}

}  // namespace

bool is_own_connection(int accepted) noexcept {
    const auto here = address_by(&::getsockname, accepted);
    const auto there = address_by(&::getpeername, accepted);
    if (!here || !there) return false;
    return any_descriptor([&](int each) {
        return same(address_by(&::getsockname, each), *there) &&
               same(address_by(&::getpeername, each), *here);
    });
}

}  // namespace turnstile::zookeeper
