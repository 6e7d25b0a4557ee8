// SPDX-License-Identifier: Apache-2.0
// The members of session_link that the session's thread runs while it has a connection.
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "redis/session_link.hpp"
#include "support/poll_time.hpp"

namespace turnstile::redis {

void session_link::serve() {
    while (!lines_.is_over()) {
        do_what_is_due();
        if (lines_.is_left()) return;
        look_if_asked();
        if (const auto master = connector_.replacing_master()) {
            lines_.leave("the sentinels have made " + to_string(*master) + " the master");
            log::write(log_level::warning, "{}: {}", connector_.place(), lines_.reason());
            return;
        }
        lines_.leave_if_cut();
        if (lines_.is_left() || !await_something()) return;
    }
}

// Waits for work. Meanwhile the session's thread does not read, but callers may read the server's messages.
bool session_link::await_something() {
    std::array<pollfd, 6> waited{{{turn_.fd(), POLLIN, 0},
                                  {lines_.bells_fd(), POLLIN, 0},
                                  {signals_.wake_fd(), POLLIN, 0},
                                  {signals_.stop_fd(), POLLIN, 0},
                                  connector_.awaited(),
                                  {-1, POLLOUT, 0}}};
    core::time_point until{};
    {
        const base::lock_guard lock{mutex_};
        waited[5].fd = requests_.send_rest();
        until = next_due();
        turn_.rest(until);
    }
    ::poll(waited.data(), waited.size(), support::milliseconds_until(until));
    {
        base::unique_lock lock{mutex_};
        turn_.resume(lock);
    }
    if (waited[3].revents != 0) return false;
    if (waited[2].revents != 0) {
        signals_.clear_wake();
        // If the session is leaving the server, it must deliver the event `detached` before the replies that wait for
        // delivery.
        if (!lines_.is_left()) deliver_settled();
    }
    if (waited[0].revents != 0) read_replies();
    if (waited[1].revents != 0) read_bells();
    return true;
}

core::time_point session_link::next_due() {
    return std::min({times_.next(), heard_.next(), connector_.due()});
}

void session_link::do_what_is_due() {
    const auto now = boottime_clock::now();
    const base::lock_guard lock{mutex_};
    const auto since = requests_.awaited_since();
    if (since && times_.is_silent(*since, now))
        return lines_.leave("the server has not answered for two thirds of the session timeout");
    if (orders_.leave) return lines_.leave("the server does not answer");
    if (times_.take_check(now)) {
        guarded_.check();
        requests_.ask(purpose::reap, {script::reap, {times_.check_span()}});
    }
    // This thread holds the session's lock while it requests the removals of watches. So a read that sets a watch on a
    // path of a removal is either already in watched_paths(), or the server executes the read after the removal.
    if (heard_.is_removal_due(now))
        for (auto& path : heard_.take_owed(requests_.watched_paths()))
            requests_.ask_to_forget(std::move(path));
    const bool others_due = heard_.take_expiry(now);
    if (others_due || times_.is_poll_due(now)) requests_.ask(purpose::poll, {script::poll, {}});
}

// If the core has requested a check of the silent server, finds out over a new connection whether the server still
// replies. Meanwhile no thread reads the session's connection.
void session_link::look_if_asked() {
    std::optional<core::look_elsewhere> wanted;
    {
        const base::lock_guard lock{mutex_};
        wanted = std::exchange(orders_.look, std::nullopt);
    }
    if (!wanted || !lines_.peer() || !connector_.answers_at(*lines_.peer(), wanted->within) ||
        support::is_readable(lines_.answers_fd()))
        return;
    core::link_event event;
    event.kind = core::link_kind::found_elsewhere;
    event.connection = wanted->connection;
    outlet_.deliver(std::move(event));
}

void session_link::say_good_bye() {
    if (!outlet_.is_orderly()) return;
    std::size_t awaited = 0;
    {
        base::unique_lock lock{mutex_};
        awaited = requests_.say_good_bye(lock);
    }
    const auto deadline = boottime_clock::now() + std::chrono::seconds{2};
    while (awaited != 0 && lines_.skip(deadline)) --awaited;  // the session ends here in any case
}

}  // namespace turnstile::redis
