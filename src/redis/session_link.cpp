// SPDX-License-Identifier: Apache-2.0
// The members of session_link that any thread may call.
#include "redis/session_link.hpp"

#include <poll.h>

#include <array>
#include <chrono>
#include <utility>

#include "base/out_of_memory.hpp"
#include "base/thread_name.hpp"
#include "support/poll_time.hpp"
#include "support/signals.hpp"

namespace turnstile::redis {
namespace {

local::chroot root_of(const redis_address& where, const core::session_settings& settings) {
    return local::chroot{settings.whole_tree ? std::string{} : where.chroot};
}

}  // namespace

session_link::session_link(redis_address where, const core::session_settings& settings,
                           core::duration container_interval, std::shared_ptr<known_servers> known,
                           guardian::module_notice guarded, core::session_sink& sink)
    : outlet_{sink},
      arguments_{where, settings},
      times_{settings.timeout, container_interval},
      requests_{root_of(where, settings), replica_wait{where.wait, settings.timeout}, arguments_,
                times_, signals_},
      lines_{replica_wait{where.wait, settings.timeout}},
      heard_{root_of(where, settings)},
      connector_{std::move(where), settings, std::move(known), signals_.stop_fd()},
      guarded_{std::move(guarded)} {
    const support::block_signals none_here;
    thread_ = boost::thread{[this] {
        base::name_this_thread("turnstile-redis");
        base::finish_or_end("a session with a Redis server", [this] { run(); });
    }};
}

session_link::~session_link() {
    close(false);
}

std::optional<error> session_link::first_refusal(core::duration limit) {
    return first_.await(boottime_clock::now() + limit);
}

// Does not send the request if the reading thread submits it: callbacks may submit several requests during a delivery,
// and the reading thread sends these requests together after the delivery.
void session_link::submit(core::request&& request, bool with_next) {
    base::unique_lock lock{mutex_};
    if (outlet_.is_closed()) return;
    requests_.submit(std::move(request), with_next);
    if (!with_next && !turn_.is_reader()) requests_.flush(lock);
}

void session_link::forget_watches(const std::string& path) {
    base::unique_lock lock{mutex_};
    if (outlet_.is_closed()) return;
    requests_.forget_watches(path);
    if (!turn_.is_reader()) requests_.flush(lock);
}

bool session_link::help(core::time_point until) {
    std::array<pollfd, 2> waited{};
    {
        const base::lock_guard lock{mutex_};
        if (outlet_.is_closed() || !requests_.awaited_since() || !turn_.begin_help()) return false;
        waited = {{{turn_.connection(), POLLIN, 0}, {turn_.leave_fd(), POLLIN, 0}}};
    }
    support::await_any(waited, until);
    const bool came = waited[0].revents != 0;
    if (came) read_replies();
    base::unique_lock lock{mutex_};
    turn_.end_help();
    // If the session's thread has other work than reading, the thread that calls help() wakes the session's thread, and
    // stops reading for it.
    const bool is_over = lines_.is_over() || lines_.is_cut() || next_due() < turn_.rests_until();
    if (is_over) signals_.wake();
    requests_.flush(lock);
    return came && !is_over;
}

core::session_identity session_link::identity() const {
    const base::lock_guard lock{mutex_};
    return arguments_.identity();
}

std::optional<core::clock_reading> session_link::servers_clock() const {
    const base::lock_guard lock{mutex_};
    return arguments_.clock();
}

void session_link::look_for_another(const core::look_elsewhere& wanted) {
    const base::lock_guard lock{mutex_};
    if (!requests_.is_open(wanted.connection)) return;
    orders_.look = wanted;
    signals_.wake();
}

void session_link::leave_server(std::uint64_t connection) {
    const base::lock_guard lock{mutex_};
    if (!requests_.is_open(connection)) return;
    orders_.leave = true;
    signals_.wake();
}

void session_link::close(bool orderly) noexcept {
    {
        const base::lock_guard lock{mutex_};
        if (outlet_.is_closed() && !thread_.joinable()) return;
        outlet_.close(orderly);
    }
    signals_.stop();
    const boost::this_thread::disable_interruption uninterrupted;
    if (thread_.joinable()) thread_.join();
}

}  // namespace turnstile::redis
