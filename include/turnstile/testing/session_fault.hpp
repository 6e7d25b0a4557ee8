// SPDX-License-Identifier: Apache-2.0
// session_fault: takes a session away from its client.
//
//     const auto secret = turnstile::secret_of(client);                 // session_secret.hpp
//     close_session(servers.connect_string(), secret.id, secret.password);  // immediately
//
//     proxy.black_hole();                                               // for real
//     wait_until_expired(servers, secret.id);
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// Attaches to the session with a second connection, as any program can that knows its id and password
// (16 bytes), and closes it; returns when the server has confirmed. The client hears of it when it next
// talks to a server. Tries the servers of "host:port,host:port[/chroot]" in turn. Throws
// std::runtime_error if none answers before the deadline, or the session is gone or the password is
// wrong.
void close_session(const std::string& connect_string, std::int64_t session_id,
                   std::string_view password, test_deadline until = {});

// Whether a server that runs and is not paused still knows the session or an ephemeral znode of it,
// or none can tell (while they elect a leader, say).
[[nodiscard]] bool session_alive(const ensemble& servers, std::int64_t session_id);

// Waits until no server does. Throws std::runtime_error at the deadline.
void wait_until_expired(const ensemble& servers, std::int64_t session_id, test_deadline until = {});

}  // namespace turnstile::testing
