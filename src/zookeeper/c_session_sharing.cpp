// SPDX-License-Identifier: Apache-2.0
// c_session: a session that a server has given to another client, too, after it was ours.
//
// Two clients of one session that are attached to different servers end each other's connections: the leader lets one
// server write for a session, the one of its latest attach. After several connections that ended early a raw attach lists
// what the session owns. A znode that this session never asked for is another client's: the session is lost then, as an
// expired one is, but it is not closed, since that would take the other client's locks. Its own znodes are removed one by
// one, after the holders were told of the loss.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "base/random.hpp"
#include "zookeeper/c_session.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/raw_session.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr int k_never = -1;  // a descriptor that ends no wait

}  // namespace

void c_session::look_for_sharer() {
    if (known_->requests.ephemerals.is_refused()) return;
    {
        const base::lock_guard lock{mutex_};
        if (phase_ == phase::dead || closed_) return;
    }
    auto chance = base::random::from_system();
    int looks = 0;
    for (const auto& server : shuffled_addresses(servers_, chance, known_->missing))
        if (looks++ == k_most_looks || look_at(server)) return;
}

// True: no other server need be asked.
bool c_session::look_at(const socket_address& server) {
    const auto own = identity();
    // The client closes the session as soon as it is told; the look goes on all the same.
    tcp_stream link{server, boottime_clock::now() + k_role_limit, k_never};
    raw_session raw{link};
    // With our own time-out: a longer one would let the session outlive this process.
    const auto attached = raw.attach({.timeout_ms = wire_timeout(settings_.timeout),
                                      .session = own.id,
                                      .password = own.password});
    if (!attached) return false;
    if (attached->timeout_ms <= 0) return true;  // the C client hears of the end by itself
    path_list owned;
    if (raw.list(settings_.credentials, owned) != raw_session::listing::listed) return false;
    const auto foreign = split_foreign(owned);
    if (foreign.paths.empty()) {
        log::write(log_level::info,
                   "session {:#x}: its connections end early, one after the other; it is this "
                   "client's alone, so the reason is a link or a server",
                   static_cast<std::uint64_t>(own.id));
        link.finish();
        return true;
    }
    give_up_shared(foreign);
    remove_own(server, own, std::move(owned));
    tcp_stream last{server, boottime_clock::now() + k_role_limit, k_never};
    lengthen(last, own);
    return true;
}

// The other client's attach may come between ours and a removal, which is refused then.
void c_session::remove_own(const socket_address& server, const core::session_identity& own,
                           path_list owned) const {
    constexpr std::int32_t k_no_node = -101;
    std::string reason;
    for (int i = 0; i != k_most_looks && !owned.paths.empty(); ++i) {
        tcp_stream link{server, boottime_clock::now() + k_role_limit, k_never};
        raw_session raw{link};
        if (raw.attach({.timeout_ms = wire_timeout(settings_.timeout),
                        .session = own.id,
                        .password = own.password}))
            std::erase_if(owned.paths, [&raw](const std::string& path) {
                const auto error = raw.remove(path);
                return error && (*error == 0 || *error == k_no_node);
            });
        reason = raw.reason();
    }
    for (const auto& path : owned.paths)
        log::write(log_level::warning,
                   "session {:#x}: {} cannot be removed, and stays as long as the other client's "
                   "session {}",
                   static_cast<std::uint64_t>(own.id), path, reason);
}

// `owned` keeps the znodes that are ours.
path_list c_session::split_foreign(path_list& owned) const {
    path_list foreign;
    const base::lock_guard lock{mutex_};
    const auto mark = mark_of(identity_.id);
    const auto is_own = [&](const std::string& path) REQUIRES(mutex_) {
        if (path == mark) return true;
        std::string_view rest = path;
        if (!rest.starts_with(servers_.chroot)) return false;
        rest.remove_prefix(servers_.chroot.size());
        return own_.may_own(rest);
    };
    const auto begin = std::stable_partition(owned.paths.begin(), owned.paths.end(), is_own);
    foreign.paths.assign(begin, owned.paths.end());
    foreign.count = foreign.paths.size();
    owned.paths.erase(begin, owned.paths.end());
    // The mark stands for as long as one of the two clients has the session.
    std::erase(owned.paths, mark);
    return foreign;
}

void c_session::give_up_shared(const path_list& foreign) {
    tell_guardian_of_end();
    const base::lock_guard turn{turn_};
    {
        const base::lock_guard lock{mutex_};
        if (phase_ == phase::dead || closed_) return;
        shared_ = true;
        log::write(
            log_level::error,
            "session {:#x} is another client's, too: it owns {} znodes that this client did not "
            "make, such as {}. A server's machine has restarted and gave the id out again. The "
            "session is given up without closing it, and another one is opened. So that servers "
            "do not do it again: start them a random time after their machine",
            static_cast<std::uint64_t>(identity_.id), foreign.count, foreign.paths.front());
    }
    die(core::link_kind::expired);
}

// zookeeper_close() closes a session whose handle is connected. A handle whose credentials are refused is not, and makes
// no connection any more: so it is given some that no server knows.
void c_session::leave_shared() {
    {
        const base::lock_guard lock{mutex_};
        if (!shared_) return;
    }
    sweeping_ = true;
    if (zoo_add_auth(handle_, "turnstile-leaves", "", 0, on_left, this) != ZOK) on_left(0, this);
    base::unique_lock lock{sweep_mutex_};
    const auto until = boottime_clock::now() + k_leave_limit;
    while (sweeping_ && swept_.wait_until(lock, until)) {
    }
}

void c_session::on_left(int rc, const void* self) {
    on_swept(rc, self);
}

}  // namespace turnstile::zookeeper
