// SPDX-License-Identifier: Apache-2.0
#include "guardian/start.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/core_folder.hpp"
#include "guardian/spawn_setup.hpp"

namespace turnstile::guardian {
namespace {

constexpr int k_socket_of_child = 3;
constexpr std::string_view k_descriptor = "fd:";

// Returns the only environment variables that the guardian inherits. With them, it finds this process's Kerberos
// tickets (SASL).
std::vector<std::string> kerberos_variables() {
    std::vector<std::string> found;
    for (const char* const name : {"KRB5CCNAME", "KRB5_CONFIG", "KRB5_CLIENT_KTNAME"})
        if (const char* const value = ::secure_getenv(name))
            found.push_back(std::string{name} + "=" + value);
    return found;
}

int spawn_guardian(std::string program, int socket, pid_t& child) {
    spawn_setup setup{POSIX_SPAWN_SETSID};
    setup.pass(socket, k_socket_of_child);
    for (const int standard : {0, 1, 2}) setup.open_nothing_as(standard);
    setup.close_from(k_socket_of_child + 1);
    std::string option = "--socket";
    std::string number = std::to_string(k_socket_of_child);
    const std::array<char*, 4> arguments{program.data(), option.data(), number.data(), nullptr};
    auto variables = kerberos_variables();
    std::vector<char*> environment;
    for (auto& each : variables) environment.push_back(each.data());
    environment.push_back(nullptr);
    return setup.run(program, arguments.data(), environment.data(), child);
}

// Waits for the guardian's first process, which forks and exits at once.
void reap(pid_t child) noexcept {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

bool is_of_this_user(int socket) noexcept {
    ucred peer{};
    socklen_t length = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
           is_trusted(peer.uid);
}

// Returns a copy of the descriptor with this number. The original stays open.
support::descriptor copy_of(std::string_view number) noexcept {
    int found = -1;
    std::from_chars(number.data(), number.data() + number.size(), found);
    return support::descriptor{::fcntl(found, F_DUPFD_CLOEXEC, 0)};
}

// Retries after EAGAIN: the queue of new connections may be full while the guardian is slow or stopped.
bool connect_with_patience(int socket, const sockaddr_un& address, const pause_function& pause) {
    constexpr std::chrono::milliseconds k_longest_pause{256};
    const auto* const target = reinterpret_cast<const sockaddr*>(&address);
    for (std::chrono::milliseconds span{1};; span *= 2) {
        if (::connect(socket, target, sizeof address) == 0) return true;
        if (errno != EAGAIN || span > k_longest_pause) return false;
        pause(span);
    }
}

support::descriptor connected_to(std::string_view path, const pause_function& pause) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (!path.starts_with('/') || path.size() >= sizeof address.sun_path) {
        errno = EINVAL;
        return {};
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    support::descriptor socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!socket.open() || connect_with_patience(socket.get(), address, pause)) return socket;
    const int why = errno;
    socket.reset();
    errno = why;
    return {};
}

// The guardian receives this process's sessions and passwords. So the client must not start a program that another user
// may have installed.
bool is_own_program(const std::filesystem::path& program) {
    struct stat found {};
    return ::stat(program.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
           is_trusted(found.st_uid) && ::access(program.c_str(), X_OK) == 0;
}

// Returns the path at which the guardian is installed. Computes it from the library's folder or, if the library is part
// of the program, from the program's folder. Empty if the program's path is unknown.
std::filesystem::path guardian_of_this_tree() {
    if (const auto folder = base::folder_of_core(); !folder.empty())
        return std::filesystem::path{folder} / TURNSTILE_GUARDIAN_FROM_LIBRARY;
    std::error_code unread;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unread);
    if (unread) return {};  // not a path relative to the working directory
    return program.parent_path() / TURNSTILE_GUARDIAN_FROM_PROGRAM;
}

}  // namespace

std::string installed_guardian() {
    std::error_code absent;
    const auto beside = std::filesystem::canonical(guardian_of_this_tree(), absent);
    return !absent && is_own_program(beside) ? beside.string() : TURNSTILE_GUARDIAN_PROGRAM;
}

support::descriptor start_guardian(const std::string& program) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        return {};
    support::descriptor mine{ends[0]};
    const support::descriptor theirs{ends[1]};
    pid_t child = 0;
    const int failure =
        spawn_guardian(program.empty() ? installed_guardian() : program, theirs.get(), child);
    if (failure == 0) {
        reap(child);
        return mine;
    }
    mine.reset();
    errno = failure;
    return {};
}

void sleep_for(std::chrono::milliseconds span) {
    std::this_thread::sleep_for(span);
}

support::descriptor connect_guardian(std::string_view name, const pause_function& pause) {
    support::descriptor socket = name.starts_with(k_descriptor)
                                     ? copy_of(name.substr(k_descriptor.size()))
                                     : connected_to(name, pause);
    if (!socket.open() || is_of_this_user(socket.get())) return socket;
    socket.reset();
    errno = EPERM;
    return {};
}

}  // namespace turnstile::guardian
