// SPDX-License-Identifier: Apache-2.0
// session_state: what is known of the link between a client's session and the servers.
//
// | state       | entered when                                     | a holder             | a waiter            |
// |-------------|--------------------------------------------------|----------------------|---------------------|
// | connecting  | first connect, or a new session after `lost`     | none                 | queued locally      |
// | connected   | session established, or re-attached in time      | valid                | re-checks its place |
// | suspended   | connection broken                                | valid until          | keeps its place     |
// |             |                                                  | valid_until()        |                     |
// | lost        | the servers say expired, or the lease ran out    | lost                 | enters again, or    |
// |             |                                                  |                      | fails by option     |
// | read_only   | attached to a server without a majority          | as suspended         | as suspended        |
// | auth_failed | credentials refused                              | lost                 | fails               |
// | closed      | close()                                          | lost, znodes removed | fails               |
//
// A session whose lease ran out is never trusted again, since the servers answer also a session that they are
// about to end (docs/why/lease.md): it is closed at its next attach, or abandoned where none comes for two time-outs
// since the last answer, and a new one is opened. So `lost` is followed by `connecting` with the next epoch;
// by `connected` in the same epoch only if the session was attached all along, and answered in time to show
// that it lives on, while a hold's lease was over.
#pragma once

#include <cstdint>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

enum class session_state { connecting, connected, suspended, lost, read_only, auth_failed, closed };

[[nodiscard]] TURNSTILE_EXPORT std::string_view to_string(session_state state) noexcept;

// One step of one session of a client. Listeners get them in order; steps may be left out when they
// come faster than the listener takes them, `lost`, `auth_failed` and `closed` never.
struct session_change {
    unsigned session = 0;     // which of the client's sessions, counted from 0
    std::uint64_t epoch = 0;  // counts the sessions opened one after the other, from 1
    session_state from = session_state::connecting;
    session_state to = session_state::connecting;
};

}  // namespace turnstile
