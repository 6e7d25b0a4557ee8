// SPDX-License-Identifier: Apache-2.0
// c_session: a session that a server has also given to another client, after it was ours.
//
// If two clients of one session are attached to different servers, they end each other's connections: the leader
// accepts writes for a session from the server of its latest attach only. After several connections that ended
// early, a raw attach lists the session's znodes. A znode that this session never requested belongs to another
// client. Then the session counts as expired, but it is not closed, since that would release the other client's
// locks. Its own znodes are removed one by one, after the holders were notified of the loss.
//
// A session that begins at a read-only server is opened by the C client, at the first server with a majority. Then
// the same look lists its znodes, and begins at that server: with localSessionsEnabled no other server knows the
// session yet. The session counts as attached after that. The look ends the C client's connection, and the C client
// attaches once more.
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

// `first`: the session's server, if that has to be asked before others.
void c_session::look_for_sharer(suspicion why, const socket_address& first) {
    if (known_->requests.ephemerals.is_refused()) return;
    {
        const base::lock_guard lock{mutex_};
        if (phase_ == phase::dead || closed_) return;
    }
    if (first.length != 0 && look_at(first, why)) return;
    auto chance = base::random::from_system();
    int looks = 0;
    for (const auto& server : shuffled_addresses(servers_, chance, known_->missing))
        if (looks++ == k_most_looks || look_at(server, why)) return;
}

// Returns true if the session must not be used yet.
bool c_session::ask_first(core::link_kind kind) {
    const base::lock_guard lock{mutex_};
    if (asking_ == asking::due && kind == core::link_kind::attached) {
        asking_ = asking::under_way;
        static_cast<void>(describe_attach(kind));  // sets the identity
        helper_.post([this, server = connected_server()] { ask_what_is_owned(server); });
    }
    return asking_ == asking::under_way;
}

void c_session::ask_what_is_owned(const socket_address& server) {
    look_for_sharer(suspicion::opened_unasked, server);
    const base::lock_guard turn{turn_};
    {
        const base::lock_guard lock{mutex_};
        asking_ = asking::settled;
        if (phase_ == phase::dead || closed_) return;
    }
    // Otherwise the C client attaches later.
    const int state = zoo_state(handle_);
    if (state == ZOO_CONNECTED_STATE || state == ZOO_READONLY_STATE) session_event(state);
}

// Returns true if no other server need be asked.
bool c_session::look_at(const socket_address& server, suspicion why) {
    const auto own = identity();
    // The client closes the session as soon as it learns of this; the look still continues.
    const auto link = open_stream(server, boottime_clock::now() + k_role_limit, k_never);
    raw_session raw{*link, &server};
    // Uses this client's own timeout: a longer one would let the session outlive this process.
    const auto attached = raw.attach({.timeout_ms = wire_timeout(settings_.timeout),
                                      .session = own.id,
                                      .password = own.password});
    if (!attached) return false;
    if (attached->timeout_ms <= 0) return true;  // the C client notices the end by itself
    path_list owned;
    if (raw.list(settings_.credentials, owned) != raw_session::listing::listed) return false;
    const auto foreign = split_foreign(owned, why);
    if (foreign.paths.empty()) {
        settle_own(raw, why);
        link->finish();
        return true;
    }
    give_up_shared(foreign);
    remove_own(server, own, std::move(owned));
    const auto last = open_stream(server, boottime_clock::now() + k_role_limit, k_never);
    lengthen(*last, own);
    return true;
}

// The session belongs only to this client. Any answer to its mark is good, as at the opening (raw_session.hpp).
void c_session::settle_own(raw_session& raw, suspicion why) {
    const auto own = identity();
    if (why == suspicion::opened_unasked) {
        if (settings_.mark) static_cast<void>(raw.create_ephemeral(mark_of(own.id)));
        return;
    }
    log::write(log_level::info,
               "session {:#x}: its connections end early, one after the other; it is this client's "
               "alone, so the reason is a link or a server",
               static_cast<std::uint64_t>(own.id));
}

// The other client's attach may come between ours and a removal, which is then refused.
void c_session::remove_own(const socket_address& server, const core::session_identity& own,
                           path_list owned) const {
    constexpr std::int32_t k_no_node = -101;
    std::string reason;
    for (int i = 0; i != k_most_looks && !owned.paths.empty(); ++i) {
        const auto link = open_stream(server, boottime_clock::now() + k_role_limit, k_never);
        raw_session raw{*link, &server};
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
                   "session {:#x}: {} cannot be removed, and remains as long as the other client's "
                   "session {}",
                   static_cast<std::uint64_t>(own.id), path, reason);
}

// Our znodes stay in `owned`. The mark of a session that was opened without a check is another client's.
path_list c_session::split_foreign(path_list& owned, suspicion why) const {
    path_list foreign;
    const base::lock_guard lock{mutex_};
    const auto mark = mark_of(identity_.id);
    const auto is_own = [&](const std::string& path) REQUIRES(mutex_) {
        if (path == mark) return why == suspicion::early_ends;
        std::string_view rest = path;
        if (!rest.starts_with(servers_.chroot)) return false;
        rest.remove_prefix(servers_.chroot.size());
        return own_.may_own(rest);
    };
    const auto begin = std::stable_partition(owned.paths.begin(), owned.paths.end(), is_own);
    foreign.paths.assign(begin, owned.paths.end());
    foreign.count = foreign.paths.size();
    owned.paths.erase(begin, owned.paths.end());
    // The mark exists for as long as one of the two clients has the session.
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
            "session {:#x} also belongs to another client: it owns {} znodes that this client did "
            "not make, such as {}. A server's machine has restarted, and the server gave the id "
            "out again. This client leaves the session open, and opens another one. To prevent "
            "this, start servers a random time after their machine",
            static_cast<std::uint64_t>(identity_.id), foreign.count, foreign.paths.front());
    }
    die(core::link_kind::expired);
}

// zookeeper_close() closes a session whose handle is connected. A handle with refused credentials is not connected,
// and makes no connection any more: so it gets credentials that no server knows.
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
