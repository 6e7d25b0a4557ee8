// SPDX-License-Identifier: Apache-2.0
#include "guardian/module_ends.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "guardian/spawn_setup.hpp"

namespace turnstile::guardian {
namespace {

constexpr std::size_t k_most_running = 16;
constexpr std::size_t k_most_ahead = 8;
constexpr int k_first_closed = 3;

// Starts the program with the socket as its standard input and with the guardian's standard error. Returns an error
// number, or 0.
int spawn_end(std::string program, std::string scheme, int socket, pid_t& child) {
    spawn_setup setup{POSIX_SPAWN_SETPGROUP};
    setup.pass(socket, STDIN_FILENO);
    setup.open_nothing_as(STDOUT_FILENO);
    setup.close_from(k_first_closed);
    const std::array<char*, 3> arguments{program.data(), scheme.data(), nullptr};
    return setup.run(program, arguments.data(), environ, child);
}

bool send_session(int socket, const guard_module_session& session) {
    auto bytes = encode(session);
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::explicit_bzero(bytes.data(), bytes.size());
    return sent >= 0;
}

end_process start_program(const std::string& program, const std::string& scheme) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
    support::descriptor mine{ends[0]};
    const support::descriptor theirs{ends[1]};
    pid_t child = 0;
    const int failure = spawn_end(program, scheme, theirs.get(), child);
    if (failure == 0)
        return {support::descriptor{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))},
                std::move(mine)};
    std::fprintf(stderr,
                 "turnstile-guardian: cannot start %s (%s): the locks of a dead process on Redis, "
                 "PostgreSQL and MariaDB stay taken for the session timeout\n",
                 program.c_str(), std::strerror(failure));
    return {};
}

void wipe(std::string& text) noexcept {
    ::explicit_bzero(text.data(), text.size());
}

// Uses the pidfd instead of waitpid(): a guardian that has a service reaps every child, perhaps before this call.
bool has_ended(const support::descriptor& process) {
    pollfd request{process.get(), POLLIN, 0};
    if (::poll(&request, 1, 0) <= 0) return false;
    siginfo_t ignored{};
    ::waitid(P_PIDFD, static_cast<id_t>(process.get()), &ignored, WEXITED | WNOHANG);
    return true;
}

}  // namespace

module_end_starter program_beside_this() {
    std::error_code unread;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", unread);
    return [program = (self.parent_path() / "turnstile-session-end").string()](
               const std::string& scheme) { return start_program(program, scheme); };
}

bool module_ends::prepare(const std::string& scheme) {
    if (!start_ || when_ != end_processes::ahead) return true;
    const auto found = ahead_.find(scheme);
    if (found != ahead_.end()) return !found->second.failed;
    if (ahead_.size() < k_most_ahead) ahead_.emplace(scheme, ahead{});
    return true;
}

void module_ends::fail(const std::string& scheme, ahead& kind) {
    kind = {{}, true};
    failures_.push_back(scheme);
}

std::vector<std::string> module_ends::take_failures() {
    return std::exchange(failures_, {});
}

void module_ends::add(guard_module_session&& session) {
    if (!start_) return;
    const auto give_up = std::chrono::steady_clock::now() + session.timeout;
    waiting_.push_back({std::move(session), give_up});
}

void module_ends::start() {
    while (!waiting_.empty() && running_.size() < k_most_running) {
        auto next = std::move(waiting_.front());
        waiting_.pop_front();
        if (std::chrono::steady_clock::now() < next.give_up) {
            auto process = hand_over(next.session);
            if (process.open()) running_.push_back(std::move(process));
        }
        wipe(next.session.proof);
        wipe(next.session.servers);
    }
}

// Sends the session to the helper process that waits for a session of this scheme. If no helper waits, starts a helper.
support::descriptor module_ends::hand_over(const guard_module_session& session) {
    const auto scheme = scheme_of(session.servers);
    if (const auto found = ahead_.find(scheme); found != ahead_.end()) {
        auto ready = std::exchange(found->second.next, {});
        if (ready.process.open() && send_session(ready.socket.get(), session))
            return std::move(ready.process);
    }
    auto fresh = start_(scheme);
    if (!fresh.process.open() || !send_session(fresh.socket.get(), session)) return {};
    return std::move(fresh.process);
}

void module_ends::start_ahead() {
    if (!none()) return;
    for (auto& [scheme, kind] : ahead_) {
        if (kind.failed || kind.next.process.open()) continue;
        kind.next = start_(scheme);
        if (!kind.next.process.open()) fail(scheme, kind);
    }
}

void module_ends::fill(std::vector<pollfd>& polled) const {
    for (const auto& process : running_) polled.push_back({process.get(), POLLIN, 0});
    for (const auto& [scheme, kind] : ahead_)
        polled.push_back({kind.next.process.get(), POLLIN, 0});
}

void module_ends::reap() {
    running_.remove_if([](const support::descriptor& process) { return has_ended(process); });
    for (auto& [scheme, kind] : ahead_) {
        if (kind.next.process.open() && has_ended(kind.next.process)) fail(scheme, kind);
    }
}

}  // namespace turnstile::guardian
