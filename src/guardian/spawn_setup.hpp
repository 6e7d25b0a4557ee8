// SPDX-License-Identifier: Apache-2.0
// spawn_setup: the descriptors and attributes of a program that this process starts. The program starts with all
// signals unblocked and with their default actions.
//
// Thread safety: none, a value.
#pragma once

#include <fcntl.h>
#include <spawn.h>

#include <csignal>
#include <string>

namespace turnstile::guardian {

class spawn_setup {
public:
    // `place`: with POSIX_SPAWN_SETSID, the new process gets its own process session (setsid), and with
    // POSIX_SPAWN_SETPGROUP its own process group.
    explicit spawn_setup(int place) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
        const int flags = place | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        sigset_t signals;
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&attributes_, &signals);
        ::sigfillset(&signals);
        ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    }
    ~spawn_setup() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    spawn_setup(const spawn_setup&) = delete;
    spawn_setup& operator=(const spawn_setup&) = delete;

    // The new process changes its descriptors in the order in which pass(), open_nothing_as() and close_from() were
    // called.
    void pass(int descriptor, int as) {
        ::posix_spawn_file_actions_adddup2(&actions_, descriptor, as);
    }
    void open_nothing_as(int descriptor) {
        ::posix_spawn_file_actions_addopen(&actions_, descriptor, "/dev/null", O_RDWR, 0);
    }
    void close_from(int descriptor) {
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, descriptor);
    }

    // Returns an error number, or 0. `arguments` and `environment` end with a null pointer.
    [[nodiscard]] int run(const std::string& program, char* const* arguments,
                          char* const* environment, pid_t& child) const {
        return ::posix_spawn(&child, program.c_str(), &actions_, &attributes_, arguments,
                             environment);
    }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

}  // namespace turnstile::guardian
