// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_code.hpp"

#include <sys/wait.h>

#include <cerrno>

namespace turnstile::cli {

int exit_code_of(errc failure) noexcept {
    switch (failure) {
        case errc::busy:
        case errc::timeout: return k_busy;
        case errc::auth_failed:
        case errc::no_permission:
        case errc::quota_exceeded: return k_no_permission;
        case errc::bad_path:
        case errc::bad_connect_string:
        case errc::bad_option:
        case errc::lease_too_short: return k_usage;
        case errc::session_lost:
        case errc::removed:
        case errc::revoked:
        case errc::held_too_long: return k_lost;
        default: return k_no_server;
    }
}

int exit_code_of_exec(int system_error) noexcept {
    return system_error == ENOENT || system_error == ENOTDIR ? k_not_found : k_cannot_execute;
}

int exit_code_of_command(int wait_status, bool hold_lost, int lost_code) noexcept {
    if (hold_lost) return lost_code;
    if (WIFSIGNALED(wait_status)) return k_signal_base + WTERMSIG(wait_status);
    return WEXITSTATUS(wait_status);
}

std::string_view exit_code_table() noexcept {
    return "  the command's exit code; 128 + n if signal n ended the command or the wait\n"
           "  1    only from doctor: it found a problem, or a warning\n"
           "  64   a wrong option, path or value\n"
           "  69   no server could be reached or used\n"
           "  74   the output could not be written\n"
           "  75   the lock is taken (--try), or the wait has ended (--wait)\n"
           "  76   the lock was lost while the command ran, whatever the command returned\n"
           "  77   no permission, wrong credentials, or a quota that is used up\n"
           "  126  the command cannot be executed, or no --guard can find its processes\n"
           "  127  the command was not found\n";
}

}  // namespace turnstile::cli
