// SPDX-License-Identifier: Apache-2.0
// server_connector: finds a session's server, connects to it, and detects that sentinels have replaced it as the
// master.
//
//     if (auto why = connector.search()) return *why;       // one attempt to attach
//     while (auto server = connector.next())                // until a server attaches the session
//         if (attach_at(*server)) return connector.attached(server->welcomed.facts);
//
// Thread safety: none. Only the thread that has the turn to read uses the object (session_threads.hpp).
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

// A server to which the client has connected. If the server is unsuitable, `welcomed` contains the reason.
struct connected_server {
    greeting welcomed;
    std::unique_ptr<line> commands;
    std::unique_ptr<line> bells;
    core::time_point deadline{};  // the attach must end by then
};

class server_connector {
public:
    // All calls give up when the descriptor `stop` becomes readable.
    server_connector(redis_address where, const core::session_settings& settings,
                     std::shared_ptr<known_servers> known, int stop);

    // Finds the servers to try. Returns the reason if there are none.
    [[nodiscard]] std::optional<greeting> search();
    // Connects to the next server. Returns nothing if all servers have been tried.
    [[nodiscard]] std::optional<connected_server> next();
    // Call this when the latest server has failed. Stores `reason`, which callers get in their errors. Logs `reason`,
    // unless the previous report since the latest attach had the same reason.
    void report(const std::string& reason, errc code = errc::not_connected);
    void note(const std::string& reason, errc code);
    [[nodiscard]] core::duration pause() { return retries_.draw(chance_); }

    // Call this when the latest server has attached the session. Forgets earlier failures. With sentinels, begins to
    // ask them whether they have replaced the master.
    void attached(const server_facts& facts);
    void detached();
    // The connect string for messages. Includes the server's address if sentinels have named the server.
    [[nodiscard]] std::string place() const;
    // Returns the event `attached` for the session's attach at the latest server. The caller adds the session's fields.
    [[nodiscard]] core::link_event attach_event() const;
    // True if the session must also report the server's role.
    [[nodiscard]] bool tells_role() const noexcept { return settings_.detect_role; }
    // True if the server replies over a new connection within this time. `peer`: the server's numeric address.
    [[nodiscard]] bool answers_at(const server_address& peer, core::duration within) const;

    // The session must call replacing_master() when the descriptor of awaited() is ready, and at the time due().
    [[nodiscard]] pollfd awaited() const noexcept;
    [[nodiscard]] core::time_point due() const noexcept;
    // Returns the new master if a sentinel has named another master than the session's server. That server may continue
    // for a while beside the new master.
    [[nodiscard]] std::optional<server_address> replacing_master();

private:
    [[nodiscard]] connected_server connect(const server_address& server, core::time_point deadline);
    [[nodiscard]] bool is_named() const;

    const redis_address where_;
    const core::session_settings settings_;
    const std::shared_ptr<known_servers> known_;
    const int stop_;
    std::shared_ptr<const tls::context> tls_;  // for this attempt or connection; null: no TLS
    server_address server_;                    // the session's server, or the last one tried
    std::optional<server_address> tree_at_;    // the cluster's node where the session was

    // The following members belong to the current attempt to attach.
    core::time_point deadline_{};  // does not include the name resolution
    core::duration resolving_{};   // the duration of the name resolution
    std::deque<server_address> left_;
    sentinel_inquiries sentinels_;
    std::int64_t epoch_ = 0;
    std::string reasons_;  // the failures of all servers
    std::string told_;     // the last reason in the log

    told_refusals told_refusals_;  // the sentinels' logged refusals
    std::optional<master_watch> watch_;
    base::back_off retries_ = base::back_off::of_reconnects();
    base::random chance_;
};

}  // namespace turnstile::redis
