// SPDX-License-Identifier: Apache-2.0
// sharer_check: whether another client has this client's session, too.
//
// A server may give this client's session to another client. The servers' leader accepts writes for a session only from
// the server of the session's latest attach. So if two clients with one session are attached to different servers, each
// client ends the other's connections. If the session owns a znode that this client never requested, another client has
// the session. Then this client treats the session as expired, but does not close it, because the close would release
// the other client's locks. After the holders of this client's locks were notified of the loss, this client removes its
// own znodes one by one.
//
//     sharing_suspicion   decides when a session lists its znodes
//     flap_watch          notices that several connections in a row have ended early
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "core/seam/seam.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/byte_stream.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/packets.hpp"
#include "zookeeper/raw_session.hpp"

namespace turnstile::zookeeper {

// Notices that several connections in a row have ended early.
//
// The cause may be an unstable network, or another client with the same session. Two clients with one session end each
// other's connections: each write of one client makes the servers end the connection of the other. To distinguish the
// two causes, the client must request the list of the session's znodes. This request needs another connection, so the
// client rarely sends it.
//
// Thread safety: one thread at a time.
class flap_watch {
public:
    void attached(core::time_point now) noexcept { since_ = now; }
    // Returns true if so many connections in a row have ended early that the client should list the session's znodes.
    [[nodiscard]] bool detached(core::time_point now, core::duration timeout) noexcept;

private:
    std::optional<core::time_point> since_;
    int early_ = 0;  // number of early ends in a row
    int suspicion_ = k_first_suspicion;
};

// Decides when a session must find out whether another client has the session too.
//
// If the connect string allows read-only servers, the C client itself opens the session. The client must then ask which
// znodes the session owns, as soon as the session is attached to a server that accepts writes. The client also asks
// after a series of connections that end early (flap_watch).
//
// Thread safety: none. The session's lock guards the object.
class sharing_suspicion {
public:
    enum class cause { opened_unasked, early_ends };

    void opened_unasked() noexcept { asking_ = asking::due; }
    // Returns true if the client must ask now which znodes the session owns, before it uses the session.
    [[nodiscard]] bool begin_to_ask(core::link_kind kind) noexcept {
        if (asking_ != asking::due || kind != core::link_kind::attached) return false;
        asking_ = asking::under_way;
        return true;
    }
    [[nodiscard]] bool is_asking() const noexcept { return asking_ == asking::under_way; }
    void has_asked() noexcept { asking_ = asking::settled; }

    void attached(core::time_point now) noexcept { flaps_.attached(now); }
    // Returns true if so many connections have ended early that the client must ask which znodes the session owns.
    [[nodiscard]] bool detached(core::time_point now, core::duration timeout) noexcept {
        return flaps_.detached(now, timeout);
    }
    // Notes that another client has the session, so that this client must not close it.
    void confirm() noexcept { shared_ = true; }
    [[nodiscard]] bool is_confirmed() const noexcept { return shared_; }

private:
    enum class asking { settled, due, under_way };

    asking asking_ = asking::settled;
    flap_watch flaps_;
    bool shared_ = false;
};

// Lists the znodes of a session, over a separate attach to one server after the other.
//
// Thread safety: none. All members block. The check continues even if the client reacts to the loss and closes the
// session.
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
