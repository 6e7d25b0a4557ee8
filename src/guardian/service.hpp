// SPDX-License-Identifier: Apache-2.0
// service: the command that a guardian starts as its child (`turnstile-guardian -- my-service`). listener: the socket
// at which the guardian then accepts connections.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <string>

#include "support/descriptor.hpp"

namespace turnstile::guardian {

// The socket at which a guardian accepts connections. The service and the service's child processes connect to it.
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

// The command, as the guardian's child. Thread safety: one thread. No other code of the process may wait for children.
class service {
public:
    // In the calling thread, blocks the signals that the guardian forwards to the service.
    service();

    // Starts the command with TURNSTILE_GUARDIAN=`socket_name` and with the limit `core_limit` for core files.
    void start(char** command, const std::string& socket_name, const rlimit& core_limit);
    // Returns a descriptor that is readable when a signal has arrived.
    [[nodiscard]] int signals() const noexcept { return signals_.get(); }
    // Sends each arrived signal on to the service. Also reaps every child, as process 1 must.
    void handle_signals();

    [[nodiscard]] bool ended() const noexcept { return ended_; }
    // True if SIGTERM or SIGINT has arrived after the end of the service.
    [[nodiscard]] bool hurried() const noexcept { return hurried_; }
    // The service's exit code, or 128 + the signal that ended the service, as shells do.
    [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
    void reap();

    sigset_t before_{};
    support::descriptor signals_;
    pid_t process_ = 0;
    bool ended_ = false;
    bool hurried_ = false;
    int exit_code_ = 0;
};

}  // namespace turnstile::guardian
