// SPDX-License-Identifier: Apache-2.0
// session_entrance: gets a session that no other client has (raw_session.hpp explains the problem).
//
// A separate connection opens the session, and ends before the C client attaches to the session. So a server that
// limits the connections from one address counts only one connection of the session at a time. If the C client does not
// attach, the session expires.
//
// Thread safety: none. `next` blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/back_off.hpp"
#include "base/random.hpp"
#include "core/seam/coordinator.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/ensemble_facts.hpp"
#include "zookeeper/packets.hpp"

namespace turnstile::zookeeper {

// The data with which the C client begins a session.
struct session_entry {
    // The session to which the C client attaches, first at `server`; nothing: the C client opens a session.
    std::optional<core::session_identity> own{};
    socket_address server{};
    std::optional<core::clock_reading> clock{};  // the servers' clock
    bool is_unasked = false;                     // the session's znodes must be listed later
};

class session_entrance {
public:
    // The references must outlive this object. `stop`, a descriptor, ends the search when it becomes readable.
    session_entrance(const ensemble_address& servers, const core::session_settings& settings,
                     ensemble_facts& known, int stop);

    // Asks one server after the other, until a server opens a session, or until a server's answer shows that the C
    // client must open it. A later call continues with the next server. Returns nothing when `stop` becomes readable.
    [[nodiscard]] std::optional<session_entry> next();

private:
    enum class attempt { entered, again, failed };

    [[nodiscard]] bool has_to_stop() const noexcept;
    void begin_round();
    [[nodiscard]] attempt enter_at(const socket_address& server, session_entry& out);
    void note_failure(const socket_address& server, const std::string& reason);
    void pass_over(const core::session_identity& shared, const path_list& owned,
                   const socket_address& server);

    const ensemble_address& servers_;
    const core::session_settings& settings_;
    ensemble_facts& known_;
    const int stop_;
    base::random chance_;
    base::back_off pauses_;
    std::deque<socket_address> left_;  // the servers of this round
    unsigned rounds_ = 0;              // rounds over all servers without a session
    bool begun_ = false;
    std::uint64_t entries_ = 0;    // sessions whose znodes a server did not list
    std::uint64_t passed_by_ = 0;  // other clients' sessions that servers assigned
    struct failure {
        std::uint64_t count = 0;
        std::string reason;  // the reason of the connection's failure
        std::string told;    // the reason with the server's answer
    };
    std::map<std::string, failure> failures_;  // by address, in readable form
};

}  // namespace turnstile::zookeeper
