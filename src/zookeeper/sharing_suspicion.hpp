// SPDX-License-Identifier: Apache-2.0
// sharing_suspicion: decides when a session must find out whether another client has the session too.
//
// If the connect string allows read-only servers, the C client itself opens the session. The client must then ask which
// znodes the session owns, as soon as the session is attached to a server that accepts writes. The client also asks
// after a series of connections that end early (flap_watch.hpp).
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include "core/seam/seam.hpp"
#include "zookeeper/flap_watch.hpp"

namespace turnstile::zookeeper {

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

}  // namespace turnstile::zookeeper
