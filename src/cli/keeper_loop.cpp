// SPDX-License-Identifier: Apache-2.0
#include "cli/keeper_loop.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command_start.hpp"
#include "cli/forwarded_signals.hpp"

namespace turnstile::cli {

terminal::terminal(pid_t owner) noexcept
    : owner_{owner}, device_{::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)} {}

bool terminal::lend(pid_t group) noexcept {
    if (!device_.open()) return false;
    const pid_t now = ::tcgetpgrp(device_.get());
    if (now == owner_) lent_ = ::tcsetpgrp(device_.get(), group) == 0;
    return now == group || (now == owner_ && lent_);
}

void terminal::take_back() noexcept {
    if (lent_) ::tcsetpgrp(device_.get(), owner_);
    lent_ = false;
}

namespace {

boottime_clock::time_point at(std::int64_t nanoseconds) {
    return boottime_clock::time_point{boottime_clock::duration{nanoseconds}};
}

std::vector<std::string> split_environment(std::string_view text) {
    std::vector<std::string> entries;
    while (!text.empty()) {
        const auto end = text.find('\0');
        entries.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return entries;
}

support::descriptor opened(int number, const char* name) {
    if (number < 0) throw std::system_error{errno, std::system_category(), name};
    return support::descriptor{number};
}

support::descriptor watch_children() {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    return opened(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
}

// Reads and drops all data of a timer or signal descriptor: only its readiness matters.
void drain(int descriptor) {
    std::array<char, 1024> room{};
    while (::read(descriptor, room.data(), room.size()) > 0) {
    }
}

}  // namespace

keeper_loop::keeper_loop(const keeper_settings& settings, const process_guard& guard, int socket,
                         pid_t run_group, session_closing& sessions)
    : settings_{settings},
      guard_{guard},
      socket_{socket},
      sessions_{sessions},
      timer_{opened(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd")},
      changes_{watch_children()},
      terminal_{run_group},
      supervision_{settings.policy, settings.grace} {}

void keeper_loop::run() {
    while (!run_ended_) {
        apply(supervision_.due(boottime_clock::now()));
        arm_timer();
        std::vector<pollfd> watched{{socket_, POLLIN, 0},
                                    {timer_.get(), POLLIN, 0},
                                    {changes_.get(), POLLIN, 0},
                                    {exec_.get(), POLLIN, 0}};
        for (const int each : sessions_.sockets()) watched.push_back({each, POLLIN, 0});
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) break;
        if (watched[1].revents != 0) drain(timer_.get());
        if (watched[3].revents != 0) take_exec(watched[3].revents);
        if (watched[2].revents != 0) take_change();
        if (watched[0].revents != 0) take_order();
        sessions_.hear();
    }
    if (command_ > 0) end_command();
}

void keeper_loop::signal_command(int signal) const {
    if (command_ > 0) ::kill(-command_, signal);
}

void keeper_loop::apply(supervision::action action) {
    if (command_ <= 0 || action == supervision::action::none) return;
    if (action == supervision::action::kill) {
        end_command();
        return;
    }
    signal_command(SIGTERM);
    signal_command(SIGCONT);  // a stopped command handles SIGTERM only after SIGCONT
}

void keeper_loop::arm_timer() const {
    itimerspec when{};
    if (const auto next = supervision_.next(); next && command_ > 0) {
        constexpr std::int64_t k_second = 1'000'000'000;
        const auto nanoseconds = next->time_since_epoch().count();
        when.it_value.tv_sec = static_cast<time_t>(nanoseconds / k_second);
        when.it_value.tv_nsec = static_cast<long>(nanoseconds % k_second);
    }
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void keeper_loop::take_order() {
    static std::array<char, k_largest_order> buffer;
    const auto size = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) return;
    if (size < static_cast<ssize_t>(sizeof(order_packet))) {  // `run` has ended
        run_ended_ = true;
        return;
    }
    order_packet packet;
    std::memcpy(&packet, buffer.data(), sizeof packet);
    const std::string_view rest{buffer.data() + sizeof packet,
                                static_cast<std::size_t>(size) - sizeof packet};
    switch (packet.order) {
        case keeper_order::start:
            supervision_ = {settings_.policy, settings_.grace};
            supervision_.confirmed_until(at(packet.value));
            start(rest);
            break;
        case keeper_order::valid_until:
            supervision_.confirmed_until(at(packet.value));
            lend_terminal();
            break;
        case keeper_order::hold_over: supervision_.hold_over(); break;
        case keeper_order::forward: forward(static_cast<int>(packet.value)); break;
    }
}

void keeper_loop::start(std::string_view environment) {
    // The hold has expired meanwhile, so no command starts.
    if (supervision_.due(boottime_clock::now()) != supervision::action::none) {
        report({keeper_report::ended, true, 0});
        return;
    }
    // This process (the keeper) may have killed an earlier command while its exec was blocked, and the killed process
    // may still exist. Then this process starts no further command, because it could not report that command's end
    // before the killed process has ended.
    if (given_up_ > 0) {
        report({keeper_report::not_started, false, EBUSY});
        return;
    }
    auto started = start_command(settings_, guard_, split_environment(environment));
    if (started.failure != 0) {
        report({keeper_report::not_started, false, started.failure});
        return;
    }
    command_ = started.pid;
    exec_ = std::move(started.exec);
    report({keeper_report::started, false, command_});
}

void keeper_loop::take_exec(short events) {
    if ((events & POLLIN) != 0) return end_command();
    exec_.reset();
}

void keeper_loop::take_change() {
    drain(changes_.get());
    // Also reaps orphans of the command, which have become children of this process.
    for (;;) {
        siginfo_t change{};
        // WNOWAIT keeps the command's process id reserved until the group is killed.
        if (::waitid(P_ALL, 0, &change, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0) return;
        if (change.si_pid == 0) return;
        const bool stopped = change.si_code == CLD_STOPPED;
        if (change.si_pid == command_ && !stopped) return end_command();
        siginfo_t taken{};
        ::waitid(P_PID, static_cast<id_t>(change.si_pid), &taken, WEXITED | WSTOPPED | WNOHANG);
        if (change.si_pid == given_up_ && !stopped) given_up_ = -1;
        if (change.si_pid == command_) take_stop(change.si_status);
    }
}

// Ctrl-Z must not stop a command that holds a lock, because all waiters would wait until a person continues it. A
// command that was stopped with SIGSTOP stays stopped.
void keeper_loop::take_stop(int signal) {
    awaits_terminal_ = signal == SIGTTIN || signal == SIGTTOU;
    if (signal == SIGTSTP) signal_command(SIGCONT);
    lend_terminal();
}

// Called repeatedly: a shell's `fg` sends no signal to a running job, so only the terminal's foreground process group
// shows that `run` is in the foreground again.
void keeper_loop::lend_terminal() {
    if (!awaits_terminal_ || !terminal_.lend(command_)) return;
    awaits_terminal_ = false;
    signal_command(SIGCONT);
}

// A stopped command acts on a terminating signal only after SIGCONT.
void keeper_loop::forward(int signal) const {
    signal_command(signal);
    if (forwarded_signals::ends_wait(signal)) signal_command(SIGCONT);
}

void keeper_loop::end_command() {
    signal_command(SIGKILL);
    // Does not wait for a program whose exec is in progress: a file server that does not answer may block that process
    // for ever.
    const bool runs_never = is_under_way(exec_);
    if (runs_never) given_up_ = command_;
    const int status = runs_never ? SIGKILL : guard_.end_all(command_);
    const int failure = runs_never || !exec_.open() ? 0 : failure_of(exec_);
    exec_.reset();
    command_ = -1;
    awaits_terminal_ = false;
    terminal_.take_back();
    if (failure != 0) {
        report({keeper_report::not_started, false, failure});
    } else {
        report({keeper_report::ended, supervision_.intervened(), status});
    }
}

void keeper_loop::report(const report_packet& packet) const {
    ::send(socket_, &packet, sizeof packet, MSG_NOSIGNAL);
}

}  // namespace turnstile::cli
