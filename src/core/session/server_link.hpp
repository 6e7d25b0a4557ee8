// SPDX-License-Identifier: Apache-2.0
// server_link: one session of the servers, its connections one after the other, and its lease. The end of the epoch, or of
// a connection, is one assignment.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/lease/lease.hpp"
#include "core/session/confirmations.hpp"
#include "core/session/session_core_settings.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::core {

class server_link {
public:
    explicit server_link(const session_core_settings& settings)
        : relay_{settings.relay},
          roles_trusted_{settings.roles_trusted},
          pace_{settings.confirm_every},
          lease_{settings.lease} {}

    // ---- what is so ----
    [[nodiscard]] bool has_epoch() const noexcept { return epoch_.has_value(); }
    [[nodiscard]] std::int64_t session_id() const noexcept {
        return epoch_ ? epoch_->session_id : 0;
    }
    // There is a connection to a server with a majority. Without one, requests have to wait.
    [[nodiscard]] bool attached() const noexcept { return here() != nullptr; }
    // The number of the epoch's latest connection, also when that is gone.
    [[nodiscard]] std::uint64_t connection() const noexcept {
        return epoch_ ? epoch_->latest_connection : 0;
    }
    [[nodiscard]] server_role role() const noexcept;
    [[nodiscard]] const std::string& server() const noexcept;
    // The servers are Apache ZooKeeper's.
    [[nodiscard]] bool is_zookeeper() const noexcept { return zookeeper_known_; }
    // Of the latest epoch, whose holds may be judged by it until the next one is opened.
    [[nodiscard]] const lease& session_lease() const noexcept { return lease_; }
    [[nodiscard]] const confirmation_pace& pace() const noexcept { return pace_; }
    [[nodiscard]] duration confirm_interval() const { return pace_.interval(lease_); }
    // Send time of the latest write that committed.
    [[nodiscard]] time_point last_write() const noexcept {
        return epoch_ ? epoch_->last_write : time_point{};
    }
    // Why the session has to end and another be opened.
    [[nodiscard]] const std::string* replacement() const noexcept {
        return epoch_ && epoch_->replacement ? &*epoch_->replacement : nullptr;
    }

    // ---- what happens ----
    // Begins an epoch; there must be none.
    void open(time_point now);
    void leave() noexcept { epoch_.reset(); }
    void replace(std::string why);
    // Returns why the session has to end instead, if it has to.
    [[nodiscard]] std::optional<error> attach(const link_event& event, bool closing,
                                              time_point now);
    // To a server that is cut off from its majority; there must be no other connection.
    void attach_read_only(const link_event& event);
    // Returns true if there was a connection to a majority.
    [[nodiscard]] bool detach();
    // The server's role, and its pace. May come when the connection is gone again; returns true if it is there.
    [[nodiscard]] bool learn_role(const link_event& event, time_point now);
    // A request that was sent at `sent` had an answer that proves a majority.
    void answered(std::uint64_t connection, time_point sent, time_point now, bool write);

    // ---- when; nothing: not by time alone ----
    // The lease of holds ends, or of a session without a connection (`away`).
    [[nodiscard]] std::optional<time_point> lease_end(bool holds, bool contenders, bool away) const;
    // By then the servers have ended a session that is not attached; nothing: it is.
    [[nodiscard]] std::optional<time_point> end_of_detached() const;
    // No server takes the session back.
    [[nodiscard]] std::optional<time_point> given_up(bool closing) const;

    friend bool operator==(const server_link&, const server_link&) = default;

private:
    // To a server with a majority.
    struct attachment {
        std::string server;
        server_role role = server_role::unknown;  // that a lease may rest on
        std::optional<server_pace> pace{};
        friend bool operator==(const attachment&, const attachment&) = default;
    };
    // Cut off from its majority: it answers reads only, and nothing is asked of it.
    struct read_only_server {
        std::string server;
        friend bool operator==(const read_only_server&, const read_only_server&) = default;
    };
    struct epoch {
        std::int64_t session_id = 0;          // 0 until the first attach
        std::uint64_t latest_connection = 0;  // its number, also when it is gone
        std::variant<std::monostate, read_only_server, attachment> server{};
        time_point heard_at{};    // send time of the latest answered request, or the attach
        time_point last_write{};  // send time of the latest that committed
        std::optional<std::string> replacement{};
        friend bool operator==(const epoch&, const epoch&) = default;
    };

    [[nodiscard]] const attachment* here() const noexcept {
        return epoch_ ? std::get_if<attachment>(&epoch_->server) : nullptr;
    }
    void take_note(attachment& here, const link_event& event, time_point now);

    std::optional<relay_terms> relay_;
    bool roles_trusted_;
    bool zookeeper_known_ = false;
    confirmation_pace pace_;
    std::optional<epoch> epoch_;
    lease lease_;
};

}  // namespace turnstile::core
