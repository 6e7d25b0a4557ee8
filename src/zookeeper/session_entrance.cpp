// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/session_entrance.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "support/poll_time.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/diagnosis.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/raw_session.hpp"
#include "zookeeper/server_role.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {
namespace {

// True if the server accepted the connection, but then ended it or did not answer, so that the reason is not known.
bool is_silent_end(const std::string& reason) {
    return reason == std::strerror(ECONNRESET) || reason == k_no_answer_in_time ||
           reason == tls::k_closed;
}

base::back_off entry_pauses(core::duration timeout) {
    const auto longest = std::clamp<core::duration>(timeout / k_entry_pause_part,
                                                    k_least_entry_pause, k_longest_entry_pause);
    return {k_least_entry_pause, longest};
}

bool is_readable_within(int descriptor, core::duration length) noexcept {
    pollfd waited{descriptor, POLLIN, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(length).count();
    return ::poll(&waited, 1, static_cast<int>(ms)) > 0;
}

}  // namespace

session_entrance::session_entrance(const ensemble_address& servers,
                                   const core::session_settings& settings, ensemble_facts& known,
                                   int stop)
    : servers_{servers},
      settings_{settings},
      known_{known},
      stop_{stop},
      chance_{base::random::from_system()},
      pauses_{entry_pauses(settings.timeout)} {}

bool session_entrance::has_to_stop() const noexcept {
    return support::is_readable(stop_);
}

void session_entrance::begin_round() {
    if (std::exchange(begun_, true)) {
        static_cast<void>(is_readable_within(stop_, pauses_.draw(chance_)));
        ++rounds_;
    }
    const auto found = shuffled_addresses(servers_, chance_, known_.missing);
    left_.assign(found.begin(), found.end());
}

std::optional<session_entry> session_entrance::next() {
    while (!has_to_stop()) {
        if (left_.empty()) {
            begin_round();
            continue;
        }
        const auto server = std::move(left_.front());
        left_.pop_front();
        auto how = attempt::again;
        for (int i = 0; how == attempt::again && i != k_most_passed_over; ++i) {
            session_entry found;
            if (has_to_stop()) return std::nullopt;
            how = enter_at(server, found);
            if (how == attempt::entered) return found;
        }
    }
    return std::nullopt;
}

session_entrance::attempt session_entrance::enter_at(const socket_address& server,
                                                     session_entry& out) {
    auto& ephemerals = known_.requests.ephemerals;
    const bool asks = !server.security || (!ephemerals.is_refused() && !ephemerals.is_doubted());
    const auto result = [&] {
        const auto link = open_stream(
            server, boottime_clock::now() + entry_limit(settings_.timeout, rounds_), stop_);
        auto opened =
            open_session(*link, {wire_timeout(settings_.timeout), settings_.credentials,
                                 settings_.allow_read_only, settings_.mark, &server, asks});
        link->finish();
        return opened;
    }();
    if (has_to_stop()) return attempt::failed;
    const auto name = to_string(server, address_form::for_people);
    switch (result.outcome) {
        case opening_outcome::opened:
            if (asks) ephemerals.answered();
            out = {result.session, server, result.clock};
            return attempt::entered;
        case opening_outcome::shared:
            pass_over(result.session, result.owned, server);
            return attempt::again;
        case opening_outcome::unknowing:
            if (const auto fault =
                    version_fault(ask_server(server, "srvr", stop_, k_explanation_limit));
                !fault.empty()) {
                note_failure(server, fault);
                return attempt::failed;
            }
            ephemerals.refused();
            log::write(log_level::info,
                       "{} does not support getEphemerals (ZooKeeper 3.6): the client cannot check "
                       "whether another client has the same session",
                       name);
            if (server.security) out = {result.session, server};
            return attempt::entered;
        case opening_outcome::read_only: out.is_unasked = true; return attempt::entered;
        case opening_outcome::cut_off:
            log::write(log_level::info, "{} opened a session, but did not list its znodes: {}",
                       name, result.reason);
            ephemerals.cut_off(this, ++entries_);
            if (ephemerals.is_doubted() && !server.security) return attempt::entered;
            break;
        case opening_outcome::failed:
            log::write(log_level::info, "{} opened no session: {}", name, result.reason);
            break;
    }
    note_failure(server, result.reason);
    return attempt::failed;
}

// Notes the reason for which a server opened no session. If the reason says only that the server ended the connection
// or did not answer, asks the server for its role, because the answer may explain the failure. Asks at the first
// failure, for each new reason, and whenever the number of failures has doubled.
void session_entrance::note_failure(const socket_address& server, const std::string& reason) {
    auto& known = failures_[to_string(server, address_form::for_people)];
    const auto count = ++known.count;
    if ((count & (count - 1)) == 0 || known.reason != reason) {
        known.reason = reason;
        const bool asks = is_silent_end(reason);
        known.told = asks ? explain(server, reason, stop_, k_explanation_limit) : reason;
    }
    std::string told;
    for (const auto& [name, each] : failures_)
        told += fmt::format("{}{}: {}", told.empty() ? "" : "; ", name, each.told);
    known_.failure.set({errc::not_connected, told});
}

// Leaves a session that another client has. Logs the first of these sessions, and then only when their number has
// doubled, because a thousand of them may follow each other.
void session_entrance::pass_over(const core::session_identity& shared, const path_list& owned,
                                 const socket_address& server) {
    const auto count = ++passed_by_;
    if ((count & (count - 1)) == 0) {
        log::write(log_level::warning,
                   "{} gave this client session {:#x}, which another client has: the session owns "
                   "znodes already ({}{}{}). The server's machine has restarted, and the server "
                   "numbers its sessions by the milliseconds since then. This client leaves the "
                   "session to the other client. Sessions that this client has left so far: {}",
                   to_string(server, address_form::for_people),
                   static_cast<std::uint64_t>(shared.id), owned.count,
                   owned.paths.empty() ? "" : ", such as ",
                   owned.paths.empty() ? "" : owned.paths.front(), count);
    }
    const auto link =
        open_stream(server, boottime_clock::now() + entry_limit(settings_.timeout, 0), stop_);
    lengthen(*link, shared);
}

}  // namespace turnstile::zookeeper
