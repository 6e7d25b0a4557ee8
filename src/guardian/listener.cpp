// SPDX-License-Identifier: Apache-2.0
#include "guardian/listener.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "guardian/trusted_user.hpp"

namespace turnstile::guardian {
namespace {

std::vector<std::string> places() {
    std::vector<std::string> all;
    if (const char* const runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr)
        all.emplace_back(runtime);
    for (const auto* const each : {"/run", "/tmp", "/dev/shm"}) all.emplace_back(each);
    return all;
}

// False if another user could replace the listener's folder in `place` by another folder.
bool is_safe(const std::string& place) {
    struct stat about {};
    if (!place.starts_with('/') || ::stat(place.c_str(), &about) != 0) return false;
    const bool sticky = (about.st_mode & S_ISVTX) != 0;
    const bool private_ = (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    return S_ISDIR(about.st_mode) && is_trusted(about.st_uid) && (private_ || sticky);
}

support::descriptor listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    support::descriptor socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    const auto* const there = reinterpret_cast<const sockaddr*>(&address);
    if (!socket.open() || ::bind(socket.get(), there, sizeof address) != 0 ||
        ::listen(socket.get(), SOMAXCONN) != 0)
        return {};
    return socket;
}

}  // namespace

listener::listener() {
    int why = ENOENT;
    for (const auto& place : places()) {
        if (!is_safe(place)) continue;
        if (open_in(place)) return;
        why = errno;
    }
    throw std::system_error{
        why, std::generic_category(),
        "the guardian cannot create its socket in $XDG_RUNTIME_DIR, /run, /tmp or /dev/shm"};
}

listener::~listener() {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
}

bool listener::open_in(const std::string& place) {
    folder_ = place + "/turnstile-XXXXXX";
    path_ = folder_ + "/guardian";
    if (path_.size() >= sizeof(sockaddr_un::sun_path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (::mkdtemp(folder_.data()) == nullptr) return false;
    path_ = folder_ + "/guardian";
    socket_ = listen_at(path_);
    if (socket_.open()) return true;
    const int why = errno;
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
    errno = why;
    return false;
}

}  // namespace turnstile::guardian
