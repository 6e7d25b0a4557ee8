// SPDX-License-Identifier: Apache-2.0
// listener: the socket at which a guardian accepts connections. The guardian has started a command, its *service*. The
// service and the service's child processes connect to this socket.
//
//     listener place;                       // /run/user/1000/turnstile-Xc3f9A/guardian
//     all.listen_at(place.take_socket());
//     ::setenv(k_guardian_variable, place.path().c_str(), 1);
//
// The listener makes a folder of mode 0700 for the socket, so that other users can neither connect nor see the socket's
// name. (Every user can see the name of an abstract socket.) The folder is in the first of these places that is safe
// and writable and has a short enough path: $XDG_RUNTIME_DIR, /run, /tmp, /dev/shm (for containers with a read-only
// root).
//
// Thread safety: none. A forked child must not destroy its copy.
#pragma once

#include <string>

#include "support/descriptor.hpp"

namespace turnstile::guardian {

class listener {
public:
    // Throws std::system_error if no place is suitable for the folder that will contain the socket.
    listener();
    // Removes the socket and its folder. After a SIGKILL, both remain.
    ~listener();
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] support::descriptor take_socket() noexcept { return std::move(socket_); }

private:
    // Returns false and sets errno if the socket cannot be made in this place.
    bool open_in(const std::string& place);

    std::string folder_;
    std::string path_;
    support::descriptor socket_;
};

}  // namespace turnstile::guardian
