// SPDX-License-Identifier: Apache-2.0
// The part of c_session that gets a session that no other client has (raw_session.hpp explains the problem).
//
// A separate connection opens the session, and ends before the C client attaches to the session. So a server that
// limits the connections of an address counts only one at a time. If the C client does not attach, the session expires.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "base/back_off.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/c_session.hpp"
#include "zookeeper/diagnosis.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/raw_session.hpp"
#include "zookeeper/server_role.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {
namespace {

// True if the connection was made, and its end has no reason that explains it.
bool is_silent_end(const std::string& reason) {
    return reason == std::strerror(ECONNRESET) || reason == k_no_answer_in_time ||
           reason == tls::k_closed;
}

base::back_off entry_pauses(core::duration timeout) {
    const auto longest = std::clamp<core::duration>(timeout / k_entry_pause_part,
                                                    k_least_entry_pause, k_longest_entry_pause);
    return {k_least_entry_pause, longest};
}

}  // namespace

bool c_session::has_to_stop() const noexcept {
    pollfd stop{closing_.fd(), POLLIN, 0};
    return ::poll(&stop, 1, 0) > 0;
}

void c_session::pause_entry(core::duration length) const noexcept {
    pollfd stop{closing_.fd(), POLLIN, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(length).count();
    static_cast<void>(::poll(&stop, 1, static_cast<int>(ms)));
}

void c_session::enter() {
    auto chance = base::random::from_system();
    auto pauses = entry_pauses(settings_.timeout);
    for (unsigned rounds = 0; !has_to_stop(); ++rounds) {
        for (const auto& server : shuffled_addresses(servers_, chance, known_->missing)) {
            auto how = entry::again;
            for (int i = 0; how == entry::again && i != k_most_passed_over; ++i)
                how = has_to_stop() ? entry::over : enter_at(server, rounds);
            if (how == entry::over) return;
        }
        pause_entry(pauses.draw(chance));
    }
}

c_session::entry c_session::enter_at(const socket_address& server, unsigned rounds) {
    const auto& ephemerals = known_->requests.ephemerals;
    const bool asks = !server.security || (!ephemerals.is_refused() && !ephemerals.is_doubted());
    const auto result = [&] {
        const auto link = open_stream(
            server, boottime_clock::now() + entry_limit(settings_.timeout, rounds), closing_.fd());
        auto opened =
            open_session(*link, {wire_timeout(settings_.timeout), settings_.credentials,
                                 settings_.allow_read_only, settings_.mark, &server, asks});
        link->finish();
        return opened;
    }();
    if (has_to_stop()) return entry::over;
    const auto name = to_string(server, address_form::for_people);
    switch (result.outcome) {
        case opening_outcome::opened:
            if (asks) known_->requests.ephemerals.answered();
            {
                const base::lock_guard lock{mutex_};
                clock_ = result.clock;
            }
            return attach_to(result.session, server);
        case opening_outcome::shared:
            pass_over(result.session, result.owned, server);
            return entry::again;
        case opening_outcome::unknowing:
            if (const auto fault =
                    version_fault(ask_server(server, "srvr", closing_.fd(), k_explanation_limit));
                !fault.empty()) {
                note_failure(server, fault);
                return entry::failed;
            }
            known_->requests.ephemerals.refused();
            log::write(log_level::info,
                       "{} does not support getEphemerals (ZooKeeper 3.6): the client cannot check "
                       "whether another client has the same session",
                       name);
            if (server.security) return attach_to(result.session, server);
            return leave_to_client();
        case opening_outcome::read_only: return leave_unasked();
        case opening_outcome::cut_off:
            log::write(log_level::info, "{} opened a session, but did not list its znodes: {}",
                       name, result.reason);
            known_->requests.ephemerals.cut_off(this, ++entries_);
            if (ephemerals.is_doubted() && !server.security) return leave_to_client();
            break;
        case opening_outcome::failed:
            log::write(log_level::info, "{} opened no session: {}", name, result.reason);
            break;
    }
    note_failure(server, result.reason);
    return entry::failed;
}

// Notes the reason for which a server opened no session. If the reason is a silent end, asks the server for its role,
// because the answer may explain the failure. Asks at the first failure, and whenever the number of failures has
// doubled.
void c_session::note_failure(const socket_address& server, const std::string& reason) {
    auto& known = entry_failures_[to_string(server, address_form::for_people)];
    const auto count = ++known.count;
    if ((count & (count - 1)) == 0 || known.reason != reason) {
        known.reason = reason;
        const bool asks = is_silent_end(reason);
        known.told = asks ? explain(server, reason, closing_.fd(), k_explanation_limit) : reason;
    }
    std::string told;
    for (const auto& [name, failure] : entry_failures_)
        told += fmt::format("{}{}: {}", told.empty() ? "" : "; ", name, failure.told);
    known_->failure.set({errc::not_connected, told});
}

c_session::entry c_session::attach_to(const core::session_identity& own,
                                      const socket_address& server) {
    clientid_t id{};
    id.client_id = own.id;
    std::copy(own.password.begin(), own.password.end(), std::begin(id.passwd));
    if (server.security) make_tunnel(own);
    return open_handle_late(hosts_from(server), &id);
}

c_session::entry c_session::leave_to_client() {
    auto chance = base::random::from_system();
    return open_handle_late(shuffled_servers(servers_, chance, known_->missing), nullptr);
}

c_session::entry c_session::leave_unasked() {
    {
        const base::lock_guard lock{mutex_};
        asking_ = asking::due;
    }
    return leave_to_client();
}

c_session::entry c_session::open_handle_late(const server_list& hosts, const clientid_t* own) {
    const base::lock_guard turn{turn_};
    if (silent_) return entry::over;
    {
        const base::lock_guard lock{mutex_};
        phase_ = phase::detached;
    }
    try {
        open_handle(hosts, own);
        return entry::over;
    } catch (const std::bad_alloc&) {
        throw;  // ends the process, like any lack of memory in this thread
    } catch (const std::exception& failure) {  // no thread, descriptor or address is left
        log::write(log_level::warning, "cannot open a session: {}", failure.what());
        return entry::failed;
    }
}

// The server that opened the session comes first in the list: with localSessionsEnabled, only that server may know the
// session.
server_list c_session::hosts_from(const socket_address& first) const {
    auto chance = base::random::from_system();
    const auto known = resolve_all(servers_);
    const bool is_known = known.host_of.contains(to_string(first, address_form::for_c_client));
    if (tunnel_) return {client_list(is_known ? way_to(first, known, chance).hosts : known.hosts)};
    if (!is_known) return shuffled_servers(servers_, chance, known_->missing);
    const auto way = way_to(first, known, chance);
    return {fmt::format("{}", fmt::join(way.hosts, ",")), way.by_address};
}

// The tunnel reports a failure on its own thread. While it cannot connect, the C client reports no session event.
void c_session::make_tunnel(const core::session_identity& own) {
    tunnel_ = std::make_unique<tunnel>(servers_, own, settings_.timeout,
                                       [known = known_](const std::string& why) {
                                           known->failure.set({errc::not_connected, why});
                                       });
}

// Returns a list of odd length: after each failure the C client advances by two servers (way_to_leader.hpp), and must
// reach all of them.
std::string c_session::client_list(const std::vector<std::string>& hosts) const {
    if (!tunnel_) return fmt::format("{}", fmt::join(hosts, ","));
    std::vector<std::string> list;
    for (const auto& host : hosts)
        list.push_back(is_unreachable(host) ? host : tunnel_->local_of(host));
    if (list.size() % 2 == 0) list.push_back(tunnel_->local_of(hosts.back()));
    return fmt::format("{}", fmt::join(list, ","));
}

// Leaves a session that another client has. The log gets the first such session of a series, and another line whenever
// the number has doubled, because a thousand such sessions may follow each other.
void c_session::pass_over(const core::session_identity& shared, const path_list& owned,
                          const socket_address& server) {
    const auto count = ++passed_by_;
    if ((count & (count - 1)) == 0) {
        log::write(
            log_level::warning,
            "{} gave out session {:#x}, which another client has: it owns {} znodes already{}{}. "
            "The server's machine has restarted, and numbers its sessions from the milliseconds "
            "since. This client leaves the session to the other client; it has left {} so far",
            to_string(server, address_form::for_people), static_cast<std::uint64_t>(shared.id),
            owned.count, owned.paths.empty() ? "" : ", such as ",
            owned.paths.empty() ? "" : owned.paths.front(), count);
    }
    const auto link = open_stream(server, boottime_clock::now() + entry_limit(settings_.timeout, 0),
                                  closing_.fd());
    lengthen(*link, shared);
}

}  // namespace turnstile::zookeeper
