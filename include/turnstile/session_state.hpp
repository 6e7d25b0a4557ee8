// SPDX-License-Identifier: Apache-2.0
// session_state: the state of a client's session, and of its connection to the servers.
//
//     const auto changes = servers.on_change([](const turnstile::session_change& change) {
//         log(to_string(change.to));
//     });
//
// | state       | event that leads to the state                    | state of a hold      | effect on a waiter  |
// |-------------|--------------------------------------------------|----------------------|---------------------|
// | connecting  | first connection, or a new session after `lost`  | none                 | waits in the client |
// | connected   | session established, or reconnected in time      | valid                | checks its place    |
// | suspended   | connection broken                                | valid until          | keeps its place     |
// |             |                                                  | valid_until()        |                     |
// | lost        | servers say expired, or the lease ended          | lost                 | queues again, or    |
// |             |                                                  |                      | fails (see the      |
// |             |                                                  |                      | option `waiters`)   |
// | read_only   | connected to a server without a majority         | valid until          | keeps its place     |
// |             |                                                  | valid_until()        |                     |
// | auth_failed | credentials refused                              | lost                 | fails               |
// | closed      | close()                                          | lost, znodes removed | fails               |
//
// The lease of a session is the time for which the client is certain that the servers keep the session. After the lease
// has ended the library does not use the session again, because the servers still answer a session that they are about
// to expire (docs/why/lease.md). The library closes that session as soon as it can connect. If it cannot connect for
// two session timeouts after the last answer, it leaves the session to expire. In both cases the library then opens a
// new session, so `connecting` with the next epoch (session number) follows `lost`.
//
// Exception: the lease of a hold ended while the session stayed connected, and the servers' answers proved in time that
// the session still exists. Then the library keeps the session, and `connected` with the same session number (epoch)
// follows `lost`.
//
// Thread safety: values.
#pragma once

#include <cstdint>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

// The state of a session, see the table at the top of this file.
enum class session_state { connecting, connected, suspended, lost, read_only, auth_failed, closed };

// Returns the name of the state, like "connected".
[[nodiscard]] TURNSTILE_EXPORT std::string_view to_string(session_state state) noexcept;

// A change of the state of one session of a client. Listeners get the changes in order. If changes come faster than a
// listener returns, the client leaves out some changes, but never `lost`, `auth_failed` and `closed`.
struct session_change {
    unsigned session = 0;     // index of the session in its client, counted from 0
    std::uint64_t epoch = 0;  // number of the sessions opened at this index so far
    session_state from = session_state::connecting;  // the state before the change
    session_state to = session_state::connecting;    // the state after the change
};

}  // namespace turnstile
