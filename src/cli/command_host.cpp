// SPDX-License-Identifier: Apache-2.0
#include "cli/command_host.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cli/command_start.hpp"
#include "cli/exit_code.hpp"
#include "cli/keeper_orders.hpp"
#include "cli/standard_streams.hpp"
#include "cli/supervision.hpp"
#include "turnstile/guardian.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::cli {
namespace {

// Sends a message to the process that watches the command (the keeper, cli/keeper.hpp), without waiting. If that
// process has been stopped for long, the socket is full and the message is lost. wait_and_handle() then kills that
// process in time.
bool send(int socket, keeper_order order, std::int64_t value, std::string_view rest = {}) {
    const order_packet packet{order, value};
    std::string text(sizeof packet, '\0');
    std::memcpy(text.data(), &packet, sizeof packet);
    text += rest;
    if (text.size() > k_largest_order) {
        errno = E2BIG;
        return false;
    }
    return ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

}  // namespace

command_watch::command_watch(const keeper_link& keeper, const process_guard& guard,
                             const forwarded_signals& signals, watched_hold hold,
                             const status_pipe& status, lost_policy policy)
    : keeper_{keeper.socket.get()},
      keeper_process_{keeper.pid},
      guard_{guard},
      policy_{policy},
      signals_{signals},
      hold_{std::move(hold)},
      status_{status} {}

bool command_watch::start(const std::vector<std::string>& environment) {
    std::string text;
    for (const auto& entry : environment) text.append(entry).push_back('\0');
    told_ = hold_.valid_until();
    if (send(keeper_, keeper_order::start, told_.time_since_epoch().count(), text)) return true;
    if (errno == EPIPE || errno == ECONNRESET) {
        note_death_of_keeper();
    } else {
        end_.failure = errno;
    }
    return false;
}

void command_watch::tell_lease() {
    const auto valid_until = hold_.valid_until();
    if (valid_until == told_) return;
    told_ = valid_until;
    send(keeper_, keeper_order::valid_until, valid_until.time_since_epoch().count());
    status_.write(confirmed_line(valid_until));
}

void command_watch::tell_loss() {
    if (std::exchange(told_loss_, true)) return;
    send(keeper_, keeper_order::hold_over, 0);
    over_at_ = boottime_clock::now();
    if (const auto status = hold_.status(); !status) status_.write(lost_line(status.error()));
}

void command_watch::forward_signals() {
    for (int signal = signals_.next(); signal != 0; signal = signals_.next()) {
        send(keeper_, keeper_order::forward, signal);
        if (forwarded_signals::ends_wait(signal)) end_.stop_asked = true;
    }
}

void command_watch::note_death_of_keeper() noexcept {
    end_.keeper_died = true;
    end_.wait_status = SIGKILL;
}

bool command_watch::take_report() {
    report_packet packet;
    const auto size = ::recv(keeper_, &packet, sizeof packet, 0);
    if (size < 0 && errno == EINTR) return true;
    if (size != static_cast<ssize_t>(sizeof packet)) {
        note_death_of_keeper();
        static_cast<void>(guard_.end_all(command_));
        return false;
    }
    switch (packet.report) {
        case keeper_report::started:
            command_ = static_cast<pid_t>(packet.value);
            end_.started = true;
            return true;
        case keeper_report::not_started:
            end_.failure = static_cast<int>(packet.value);
            return false;
        case keeper_report::ended:
            end_.wait_status = static_cast<int>(packet.value);
            end_.hold_lost = packet.intervened;
            return false;
    }
    return false;
}

// Returns a small fraction of the hold's remaining time, in milliseconds. `turnstile run` checks at least this often
// whether the servers have confirmed the hold again. So it reports the confirmation to the
// watching process (the keeper) long before that process would kill the command.
int command_watch::longest_pause() const {
    const auto part =
        std::chrono::duration_cast<std::chrono::milliseconds>(left_until(hold_.valid_until())) / 50;
    return static_cast<int>(std::clamp<std::int64_t>(part.count(), 10, 500));
}

bool command_watch::is_keeper_late() const {
    if (policy_ == lost_policy::none) return false;
    const auto now = boottime_clock::now();
    return now >= told_ - k_kill_margin / 2 || (told_loss_ && now >= over_at_ + k_kill_margin);
}

bool command_watch::wait_and_handle() {
    std::array<pollfd, 3> watched{{{keeper_, POLLIN, 0},
                                   {signals_.descriptor(), POLLIN, 0},
                                   {told_loss_ ? -1 : lost_.fd(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), longest_pause()) < 0) return true;
    if (watched[2].revents != 0) tell_loss();
    if (watched[1].revents != 0) forward_signals();
    if (!told_loss_) tell_lease();
    if (watched[0].revents != 0) return take_report();
    // The keeper is the process that must kill the command before the hold ends. If it is late, kills the keeper; the
    // socket then reports the keeper's end.
    if (is_keeper_late()) {
        end_.hold_lost = true;
        ::kill(keeper_process_, SIGKILL);
    }
    return true;
}

command_end command_watch::run(const std::vector<std::string>& environment) {
    const std::stop_callback on_lost{hold_.lost, [this] { lost_.set(); }};
    if (!start(environment)) return end_;
    while (wait_and_handle()) {
    }
    // The hold may have ended together with the command.
    if (!hold_.status()) end_.hold_lost = true;
    end_.at_longest = hold_.longest && is_end_of(*hold_.longest, told_);
    return end_;
}

namespace {

// After Ctrl-C, a user must not wait long for servers that do not answer. If a session is not closed within this time,
// the keeper (a forked process, cli/keeper.hpp) closes it.
constexpr std::chrono::milliseconds k_close_timeout{1'000};

// Time limit for a server to report its tickTime and syncLimit.
constexpr std::chrono::milliseconds k_pace_limit{3'000};

std::optional<server_configuration> configuration_of(const std::string& server) {
    const auto told = health_of_servers(server, k_pace_limit);
    return told && !told->empty() ? told->front().configuration : std::nullopt;
}

// Returns why the hold ended. The keeper is a process that kills the command shortly before the hold ends. So after
// such a kill the hold has no error yet.
std::string reason_of_loss(const command_end& end, const result<void>& hold) {
    if (!hold) return hold.error().message();
    return end.at_longest ? "--max-hold was about to end the hold"
                          : "the lease was about to end, and the servers did not confirm it";
}

}  // namespace

command_host::command_host(const keeping_options& options)
    : options_{options},
      guard_{options.guard},
      keeper_{start_keeper({options.command, options.on_lost, options.grace, signals_.mask_before(),
                            status_.reader()},
                           guard_)} {
    // Only this process ignores these signals. The process that watches the command (the keeper) was forked before this
    // call, and the command inherits its signal actions from that process.
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGTSTP, SIG_IGN);
    ::setenv(k_guardian_variable, guardian_name(keeper_).c_str(), 1);
}

client_options command_host::options_for(const server_settings& servers) {
    auto options = client_options_of(servers);
    options.guardian.use = guardian_use::inherited;
    options.close_timeout = k_close_timeout;
    options.foreign_kinds = foreign_kind_policy::refuse;
    return options;
}

result<void> command_host::connect(client& zookeeper, const server_settings& servers) {
    if (auto connected = zookeeper.wait_connected(servers.connect_timeout); !connected)
        return connected.error();
    const auto session = zookeeper.session();
    std::optional<server_configuration> told;
    if (options_.on_lost == lost_policy::terminate && !says_pace(servers) && is_zookeeper(servers))
        told = configuration_of(session.server);
    return check_grace(options_, pace_of(servers, told, session.timeout), session.timeout);
}

command_end command_host::run(const watched_hold& hold, std::vector<std::string> environment) {
    const auto until = hold.valid_until().time_since_epoch().count();
    environment.push_back("TURNSTILE_VALID_UNTIL=" + std::to_string(until));
    environment.push_back("TURNSTILE_STATUS_FD=" + std::to_string(status_.reader()));
    environment.push_back("TURNSTILE_GUARD=" + std::string{guard_.name()});
    status_.discard();
    return command_watch{keeper_, guard_, signals_, hold, status_, options_.on_lost}.run(
        environment);
}

int command_host::code_of(const command_end& end, const result<void>& hold) const {
    if (end.failure != 0)
        return complain(failure_text(options_.command, end.failure),
                        exit_code_of_exec(end.failure));
    if (end.hold_lost)
        complain("the lock was lost while the command ran: " + reason_of_loss(end, hold));
    else if (end.keeper_died)
        complain(std::string{"the keeper of the command (turnstile-keep) was killed"} +
                 (end.started ? ", and the command with it" : ", so the command cannot start"));
    return exit_code_of_command(end.wait_status, end.hold_lost, options_.lost_exit_code);
}

int with_command_host(const keeping_options& keeping, server_settings& servers,
                      const std::function<int(client& zookeeper, command_host& host)>& work) {
    settle_servers(servers);
    if (says_pace(servers)) {
        const auto carried = check_grace(keeping, pace_of(servers, {}, servers.session_timeout),
                                         servers.session_timeout);
        if (!carried) return complain(carried.error().message(), k_usage);
    }
    const auto how = command_host::options_for(servers);
    try {
        command_host host{keeping};
        // The client's constructor may wait for name resolution, or for a disk if the connect string names a file.
        std::optional<stop_by_signal> starting{std::in_place, host.signals()};
        client zookeeper{servers.servers, how};
        starting.reset();
        return work(zookeeper, host);
    } catch (const no_guard& why) {
        return complain(why.what(), k_cannot_execute);
    }
}

}  // namespace turnstile::cli
