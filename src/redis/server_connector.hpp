// SPDX-License-Identifier: Apache-2.0
// server_connector: finds the server of a session, connects to it, and leaves a master that sentinels have replaced.
//
//     if (auto why = connector.search()) return *why;       // one attempt to attach
//     while (auto server = connector.next())                // until a server attaches the session
//         if (attach_at(*server)) return connector.attached(server->welcomed.facts);
//
// Thread safety: none. Only the thread that has the turn to read uses the object (reading_turn.hpp).
#pragma once

#include <poll.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/back_off.hpp"
#include "base/random.hpp"
#include "core/seam/coordinator.hpp"
#include "redis/connect_string.hpp"
#include "redis/handshake.hpp"
#include "redis/known_servers.hpp"
#include "redis/line.hpp"
#include "redis/master_watch.hpp"
#include "turnstile/error.hpp"

namespace turnstile::redis {

// A server that may attach the session, unless `welcomed` is the reason against it.
struct connected_server {
    greeting welcomed;
    std::unique_ptr<line> commands;
    std::unique_ptr<line> wakes;
    core::time_point deadline{};  // the attach must end by then
};

class server_connector {
public:
    // All calls give up when `stop`, a descriptor, becomes readable.
    server_connector(connect_string where, const core::session_settings& settings,
                     std::shared_ptr<known_servers> known, int stop);

    // Finds the servers to try. Returns the reason if there is none.
    [[nodiscard]] std::optional<greeting> search();
    // Connects to the next server; nothing if all have been tried.
    [[nodiscard]] std::optional<connected_server> next();
    // Stores the failure at the latest server for the errors of callers, and writes it to the log. The log gets the
    // same reason once until the session is attached.
    void report(const std::string& reason, errc code = errc::not_connected);
    // Only stores the failure.
    void note(const std::string& reason, errc code);
    [[nodiscard]] core::duration pause() { return retries_.draw(chance_); }

    // The latest server has attached the session.
    void attached(const server_facts& facts);
    void detached();
    // The connect string for messages, with the server's address if sentinels have named it.
    [[nodiscard]] std::string place() const;
    // The event that the latest server has attached the session, without the session's part.
    [[nodiscard]] core::link_event attach_event() const;
    // True if the role of the server is an event, too.
    [[nodiscard]] bool tells_role() const noexcept { return settings_.detect_role; }
    // True if the server answers over another connection within the time. `peer`: its numeric address.
    [[nodiscard]] bool answers_at(const server_address& peer, core::duration within) const;

    // The descriptor for which the session must wait because of the sentinels, and the time for replacing_master().
    [[nodiscard]] pollfd awaited() const noexcept;
    [[nodiscard]] core::time_point due() const noexcept;
    // Returns the new master once a sentinel has named another master than the session's server. That server may
    // continue for a while beside the new master.
    [[nodiscard]] std::optional<server_address> replacing_master();

private:
    [[nodiscard]] connected_server connect(const server_address& server, core::time_point deadline);
    [[nodiscard]] bool is_named() const;

    const connect_string where_;
    const core::session_settings settings_;
    const std::shared_ptr<known_servers> known_;
    const int stop_;
    std::shared_ptr<const tls_context> tls_;  // for this attempt or connection; null: no TLS
    server_address server_;                   // the session's server, or the last one tried
    std::optional<server_address> tree_at_;   // the cluster's node where the session was

    // The attempt to attach.
    core::time_point deadline_{};  // without the resolver's time
    core::duration resolving_{};   // the resolver's time
    std::deque<server_address> left_;
    sentinel_inquiries sentinels_;
    std::int64_t epoch_ = 0;
    std::string reasons_;  // the failures of all servers
    std::string told_;     // the last reason in the log

    told_refusals told_refusals_;  // the sentinels' logged refusals
    std::optional<master_watch> watch_;
    base::back_off retries_{std::chrono::milliseconds{20}, std::chrono::seconds{1}};
    base::random chance_;
};

}  // namespace turnstile::redis
