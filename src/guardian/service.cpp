// SPDX-License-Identifier: Apache-2.0
#include "guardian/service.hpp"

#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "guardian/message.hpp"
#include "guardian/start.hpp"
#include "turnstile/guardian.hpp"

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

constexpr std::array k_passed_on{SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
                                 SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};
constexpr int k_not_found = 127;
constexpr int k_not_executable = 126;
constexpr int k_signal_base = 128;

[[noreturn]] void fail(const char* call) {
    throw std::system_error{errno, std::generic_category(), call};
}

sigset_t taken_signals() {
    sigset_t result;
    ::sigemptyset(&result);
    for (const int number : k_passed_on) ::sigaddset(&result, number);
    ::sigaddset(&result, SIGCHLD);
    return result;
}

[[noreturn]] void become(char** command) {
    ::execvp(command[0], command);
    const int why = errno;
    std::fprintf(stderr, "turnstile-guardian: %s: %s\n", command[0], std::strerror(why));
    ::_exit(why == ENOENT ? k_not_found : k_not_executable);
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

service::service() {
    ::signal(SIGCHLD, SIG_DFL);  // if SIGCHLD were ignored, there would be no exit status to read
    const auto taken = taken_signals();
    ::sigprocmask(SIG_BLOCK, &taken, &before_);
    signals_ = support::descriptor{::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!signals_.open()) fail("signalfd");
}

void service::start(char** command, const std::string& socket_name, const rlimit& core_limit) {
    process_ = ::fork();
    if (process_ < 0) fail("fork");
    if (process_ > 0) return;
    ::setenv(k_guardian_variable, socket_name.c_str(), 1);
    ::setrlimit(RLIMIT_CORE, &core_limit);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    become(command);
}

void service::handle_signals() {
    signalfd_siginfo came{};
    while (::read(signals_.get(), &came, sizeof came) == sizeof came) {
        const int number = static_cast<int>(came.ssi_signo);
        if (number == SIGCHLD) continue;
        // The terminal sends its signals to the whole process group, so the service has already received such a signal.
        const bool from_terminal = came.ssi_code == SI_KERNEL;
        if (!ended_ && !from_terminal) ::kill(process_, number);
        if (ended_ && (number == SIGTERM || number == SIGINT)) hurried_ = true;
    }
    reap();
}

void service::reap() {
    for (;;) {
        int status = 0;
        const pid_t process = ::waitpid(-1, &status, WNOHANG);
        if (process <= 0) return;
        if (process != process_) continue;
        ended_ = true;
        exit_code_ = WIFSIGNALED(status) ? k_signal_base + WTERMSIG(status) : WEXITSTATUS(status);
    }
}

}  // namespace turnstile::guardian
