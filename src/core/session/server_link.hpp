// SPDX-License-Identifier: Apache-2.0
// server_link: one session of the servers (an epoch), with its lease and its connections, which follow one another. The
// epoch and the connection are optional members. So a single assignment ends the epoch, or the connection.
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

    // ---- state ----
    [[nodiscard]] bool has_epoch() const noexcept { return epoch_.has_value(); }
    [[nodiscard]] std::int64_t session_id() const noexcept {
        return epoch_ ? epoch_->session_id : 0;
    }
    // True while there is a connection to a server that belongs to a majority. Otherwise requests must wait.
    [[nodiscard]] bool attached() const noexcept { return here() != nullptr; }
    // Returns the number of the session's latest connection, even after that connection has ended.
    [[nodiscard]] std::uint64_t connection() const noexcept {
        return epoch_ ? epoch_->latest_connection : 0;
    }
    [[nodiscard]] server_role role() const noexcept;
    [[nodiscard]] const std::string& server() const noexcept;
    // True if the servers are known to be Apache ZooKeeper's.
    [[nodiscard]] bool is_zookeeper() const noexcept { return zookeeper_known_; }
    // Returns the lease of the latest session (epoch). The lease applies to that session's holds until the next session
    // is opened.
    [[nodiscard]] const lease& session_lease() const noexcept { return lease_; }
    [[nodiscard]] const confirmation_pace& pace() const noexcept { return pace_; }
    [[nodiscard]] duration confirm_interval() const { return pace_.interval(lease_); }
    // Returns the send time of the latest committed write.
    [[nodiscard]] time_point last_write() const noexcept {
        return epoch_ ? epoch_->last_write : time_point{};
    }
    [[nodiscard]] const std::string* replacement() const noexcept {
        return epoch_ && epoch_->replacement ? &*epoch_->replacement : nullptr;
    }

    // ---- events ----
    // Begins an epoch: the life of one session at the servers. No epoch may exist.
    void open(time_point now);
    void leave() noexcept { epoch_.reset(); }
    void replace(std::string why);
    // Returns a reason if the session must end instead of being attached.
    [[nodiscard]] std::optional<error> attach(const link_event& event, bool closing,
                                              time_point now);
    // Attaches to a server that is cut off from its majority. No other connection may exist.
    void attach_read_only(const link_event& event);
    // Returns true if there was a connection to a server with a majority.
    [[nodiscard]] bool detach();
    // Stores the role and the pace (tick and syncLimit) that the server reports. Returns false if the connection has
    // ended meanwhile.
    [[nodiscard]] bool learn_role(const link_event& event, time_point now);
    // Called when a request that was sent at `sent` got an answer that proves that the server has a majority.
    void answered(std::uint64_t connection, time_point sent, time_point now, bool write);

    // ---- times; each function returns nothing if another event must come first ----
    [[nodiscard]] std::optional<time_point> lease_end(bool holds, bool contenders, bool away) const;
    // Returns the time by which the servers have ended a session without a connection; nothing while attached.
    [[nodiscard]] std::optional<time_point> end_of_detached() const;
    // Returns the time at which the client gives up the hope that a server takes the session back.
    [[nodiscard]] std::optional<time_point> given_up(bool closing) const;

    friend bool operator==(const server_link&, const server_link&) = default;

private:
    // A connection to a server that belongs to a majority.
    struct attachment {
        std::string server;
        server_role role = server_role::unknown;  // the role on which the lease may rely
        std::optional<server_pace> pace{};
        friend bool operator==(const attachment&, const attachment&) = default;
    };
    // A connection to a server that is cut off from its majority: it answers only reads, and gets no requests.
    struct read_only_server {
        std::string server;
        friend bool operator==(const read_only_server&, const read_only_server&) = default;
    };
    struct epoch {
        std::int64_t session_id = 0;          // 0 until the first connection
        std::uint64_t latest_connection = 0;  // number of the latest connection, even after its end
        std::variant<std::monostate, read_only_server, attachment> server{};
        // Send time of the latest answered request, or start of the connection.
        time_point heard_at{};
        time_point last_write{};  // send time of the latest committed write
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
