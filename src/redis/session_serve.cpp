// SPDX-License-Identifier: Apache-2.0
// The members of session_link that the session's thread runs while there is a connection.
#include <fmt/core.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "redis/poll_time.hpp"
#include "redis/session_link.hpp"

namespace turnstile::redis {
namespace {

using std::chrono_literals::operator""ms;

constexpr int k_keep_alive_part = 3;  // a third of the timeout, as in ZooKeeper's clients
constexpr core::duration k_least_silence = 100ms;
constexpr core::duration k_good_bye = std::chrono::seconds{2};

}  // namespace

void session_link::serve() {
    while (broken_.empty() && !gone_) {
        do_what_is_due();
        if (!broken_.empty()) return;
        look_if_asked();
        if (leave_replaced_master()) return;
        if (answers_->broken()) {
            broken_ = answers_->reason();
            return;
        }
        if (!await_something()) return;
    }
}

// Waits for work. During the wait the session's thread does not read: only callers read the server's messages.
bool session_link::await_something() {
    std::array<pollfd, 6> waited{
        {{turn_.fd(), POLLIN, 0},
         {wakes_->fd(), POLLIN, 0},
         {wake_.fd(), POLLIN, 0},
         {stop_.fd(), POLLIN, 0},
         {watch_ ? watch_->fd() : -1, watch_ ? watch_->awaited() : short{0}, 0},
         {-1, POLLOUT, 0}}};
    core::time_point until{};
    {
        const base::lock_guard lock{mutex_};
        const bool all_sent = sending_ || commands_->sent_all() || commands_->send();
        if (!all_sent) waited[5].fd = commands_->fd();
        until = rests_until_ = next_due();
        turn_.rest();
    }
    ::poll(waited.data(), waited.size(), milliseconds_until(until));
    {
        base::unique_lock lock{mutex_};
        turn_.resume(lock);
        reader_ = own_thread_.load();
    }
    if (waited[3].revents != 0) return false;
    if (waited[2].revents != 0) {
        wake_.clear();
        // If the connection is about to end, the replies to refused requests come after the event of the end.
        if (broken_.empty()) deliver_settled();
    }
    if (waited[0].revents != 0) read_replies();
    if (waited[1].revents != 0) read_wakes();
    return true;
}

core::time_point session_link::next_due() {
    auto due = std::min({last_sent_ + settings_.timeout / k_keep_alive_part, reap_at_, fetch_by_});
    if (!watches_.list().empty()) due = std::min(due, come_back_);
    if (watches_.owes()) due = std::min(due, give_back_at_);
    if (watch_) due = std::min(due, watch_->due());
    return due;
}

// Leaves the server if the sentinels name another master, because this server may continue for a while beside the new
// master.
bool session_link::leave_replaced_master() {
    if (!watch_) return false;
    watch_->go_on(boottime_clock::now());
    if (!watch_->switched()) return false;
    known_->replaced.left(watch_->epoch(), boottime_clock::now() + settings_.timeout);
    broken_ = fmt::format("the sentinels have made {} the master", to_string(*watch_->switched()));
    log::write(log_level::warning, "{}: {}", place(), broken_);
    return true;
}

void session_link::do_what_is_due() {
    const auto now = boottime_clock::now();
    const auto silence =
        std::max<core::duration>(settings_.timeout * 2 / k_keep_alive_part, k_least_silence);
    const bool watching = !watches_.list().empty();
    const base::lock_guard lock{mutex_};
    if (!pending_.empty() && !pending_.front().settled && now - pending_.front().sent > silence) {
        broken_ = "the server has not answered for two thirds of the session time-out";
        return;
    }
    if (leaves_) {
        broken_ = "the server does not answer";
        return;
    }
    if (now >= reap_at_) {
        reap_at_ = now + container_interval_;
        guarded_.check();
        const auto span = std::chrono::ceil<std::chrono::microseconds>(container_interval_);
        pending entry;
        entry.why = purpose::reap;
        send(std::move(entry), {script::reap, {std::to_string(span.count())}});
    }
    if (watches_.owes() && now >= give_back_at_) give_back_again(now);
    const bool others_due = watching && now >= come_back_;
    if (others_due) come_back_ = core::time_point::max();
    if (others_due || now >= fetch_by_ || now >= last_sent_ + settings_.timeout / k_keep_alive_part)
        poll_server();
}

// If the core has asked for it, checks over another connection whether the silent server still answers. No thread reads
// the session's connection meanwhile.
void session_link::look_if_asked() {
    std::optional<core::look_elsewhere> wanted;
    {
        const base::lock_guard lock{mutex_};
        wanted = std::exchange(wanted_, std::nullopt);
    }
    if (!wanted || !answers_->peer()) return;
    const auto until = boottime_clock::now() + wanted->within;
    line look{*answers_->peer(), tls_.get(), stop_.fd(), server_.host};
    if (greet_listener(look, where_, until, stop_.fd()).result != welcome::ok) return;
    const auto answer = look.ask({"PING"}, until, stop_.fd());
    if (!answer || answer->type == REDIS_REPLY_ERROR) return;
    pollfd silent{answers_->fd(), POLLIN, 0};
    if (::poll(&silent, 1, 0) != 0) return;
    core::link_event event;
    event.kind = core::link_kind::found_elsewhere;
    event.connection = wanted->connection;
    deliver(std::move(event));
}

void session_link::poll_server() {
    pending entry;
    entry.why = purpose::poll;
    send(std::move(entry), {script::poll, {}});
}

// The caller holds the lock. So a read that sets a watch either is in `pending_`, or comes after these removals at the
// server.
void session_link::give_back_again(core::time_point now) {
    give_back_at_ = now + k_busy_pause;
    std::set<std::string> awaited;
    for (const auto& entry : pending_)
        if (const auto* path = local::watched_path(entry.op)) awaited.insert(*path);
    for (auto& path : watches_.take_owed(awaited)) send_forget(std::move(path));
}

bool session_link::awaits_answer() const {
    return phase_ == phase::attached && !pending_.empty() && !pending_.front().settled;
}

bool session_link::is_needed() {
    return !broken_.empty() || gone_ || answers_->broken() || next_due() < rests_until_;
}

// ---- the turn to read -------------------------------------------------------------------------

bool session_link::help(core::time_point until) {
    std::array<pollfd, 2> waited{};
    {
        const base::lock_guard lock{mutex_};
        if (closing_ || !awaits_answer() || !turn_.begin_help()) return false;
        reader_ = ::pthread_self();
        waited = {{{turn_.connection(), POLLIN, 0}, {turn_.leave_fd(), POLLIN, 0}}};
    }
    await_any(waited, until);
    const bool came = waited[0].revents != 0;
    if (came) read_replies();
    base::unique_lock lock{mutex_};
    reader_ = own_thread_.load();
    turn_.end_help();
    const bool is_over = is_needed();
    if (is_over) wake_.set();
    send_now(lock);
    return came && !is_over;
}

// ---- the end ---------------------------------------------------------------------------------

void session_link::say_good_bye() {
    if (!orderly_) return;
    std::size_t awaited = 1;
    {
        base::unique_lock lock{mutex_};
        while (sending_) changed_.wait(lock);
        for (const auto& entry : pending_) awaited += entry.settled || entry.shared ? 0U : 1U;
        if (commands_ == nullptr) return;
        if (!replicas_.empty())
            awaited = 2 * awaited - 1;  // no acknowledgement of the close is awaited
        send(pending{}, script_call{script::close, {}});
    }
    const auto deadline = boottime_clock::now() + k_good_bye;
    while (awaited-- != 0)
        if (!answers_->await_reply(deadline, -1)) return;  // the session ends here in any case
}

}  // namespace turnstile::redis
