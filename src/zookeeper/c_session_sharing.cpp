// SPDX-License-Identifier: Apache-2.0
// The part of c_session for a session that a server has given to another client too, after it was this client's.
//
// If two clients with one session are attached to different servers, each client ends the other's connections. The
// reason is the leader: it accepts writes for a session only from the server of the session's latest attach. So after
// several connections that ended early, a separate attach lists the session's znodes. A znode that this client never
// requested belongs to another client. Then the session counts as expired, but this client does not close it, because
// that would release the other client's locks. After the holders were notified of the loss, the client removes its own
// znodes one by one.
//
// If a session begins at a read-only server, the C client opens it, at the first server with a majority. Then the same
// check lists the session's znodes, and starts at that server, because with localSessionsEnabled no other server knows
// the session yet. The session counts as attached after the check. The check ends the C client's connection, and the C
// client attaches once more.
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

constexpr int k_never = -1;  // a descriptor that never ends a wait

}  // namespace

// Looks for another client of the session. `first`: the server to ask first, if it has an address.
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

// Returns true if the session must not be used yet, because the list of its znodes has not come.
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
    // If the C client is not connected now, its next attach is reported as usual.
    const int state = zoo_state(handle_);
    if (state == ZOO_CONNECTED_STATE || state == ZOO_READONLY_STATE) session_event(state);
}

// Lists the session's znodes at one server. Returns true if no other server need be asked.
bool c_session::look_at(const socket_address& server, suspicion why) {
    const auto own = identity();
    // The check continues when the client closes the session in reaction.
    const auto link = open_stream(server, boottime_clock::now() + k_role_limit, k_never);
    raw_session raw{*link, &server};
    // Uses this client's own timeout: with a longer timeout the session would outlive this process.
    const auto attached = raw.attach({.timeout_ms = wire_timeout(settings_.timeout),
                                      .session = own.id,
                                      .password = own.password});
    if (!attached) return false;
    if (attached->timeout_ms <= 0) return true;  // the C client will notice the end
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

// Called when only this client has the session. Creates the session mark if the session had none; any answer to the
// create proves that the session is usable (raw_session.hpp).
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

// Removes this client's znodes. The other client may attach between this client's attach and a removal. The server then
// refuses the removal, and this client attaches again.
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

// Returns the znodes of the other client, and leaves this client's znodes in `owned`. If the C client opened the
// session without a check, the session mark belongs to the other client.
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
    // The session mark stays for as long as one of the two clients has the session.
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

// Leaves the session without closing it. zookeeper_close() would close the session of a connected handle. A handle
// whose credentials a server has refused is not connected and never connects again. So this function adds credentials
// that no server knows.
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
