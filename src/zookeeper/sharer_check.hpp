// SPDX-License-Identifier: Apache-2.0
// sharer_check: lists the znodes of a session, over a separate attach to one server after the other.
//
// Purpose: a server may give this client's session to another client. The servers' leader accepts writes for a session
// only from the server of the session's latest attach. So if two clients with one session are attached to different
// servers, each client ends the other's connections. If the session owns a znode that this client never requested,
// another client has the session. Then this client treats the session as expired, but does not close it, because the
// close would release the other client's locks. After the holders of this client's locks were notified of the loss,
// this client removes its own znodes one by one.
//
// Thread safety: none. All members block. The check continues even if the client reacts to the loss and closes the
// session.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/byte_stream.hpp"
#include "zookeeper/packets.hpp"
#include "zookeeper/raw_session.hpp"

namespace turnstile::zookeeper {

class sharer_check {
public:
    // `settings` must outlive this object.
    sharer_check(const core::session_settings& settings, const core::session_identity& own)
        : settings_{settings}, own_{own} {}

    // Asks the server `first`, if it has an address, and then the servers `others()` for the list of the session's
    // znodes. Returns the first list that a server gives; nothing if no server gives a list, or if the session has
    // ended. `others` may resolve names, so it is called only if `first` fails.
    [[nodiscard]] std::optional<path_list> list(
        const socket_address& first, const std::function<std::vector<socket_address>()>& others);
    // After list(), call either settle() or leave(). Call settle() if only this client has the session. `marks`:
    // settle() creates the session mark, the znode that shows that the session is in use. Any answer to that create
    // proves that the session is usable.
    void settle(bool marks);
    // Call leave() if another client has the session, too. Removes the znodes at `own_paths`, and gives the session the
    // longest timeout that the server allows.
    void leave(path_list own_paths);

private:
    enum class outcome { listed, ended, failed };

    [[nodiscard]] std::optional<attach_answer> attach(raw_session& raw) const;
    [[nodiscard]] outcome ask(const socket_address& server, path_list& owned);

    const core::session_settings& settings_;
    const core::session_identity own_;
    // The server to which this object attached last, and that connection.
    socket_address server_;
    std::unique_ptr<byte_stream> link_;
    std::optional<raw_session> raw_;
};

}  // namespace turnstile::zookeeper
