// SPDX-License-Identifier: Apache-2.0
// session_fault: takes a session away from its client.
//
// Use close_session() to end a session at once. To let a session expire, cut its connection off and wait:
//
//     const auto secret = turnstile::secret_of(client);                 // session_secret.hpp
//     close_session(servers.connect_string(), secret.id, secret.password);  // immediately
//
//     proxy.black_hole();                                               // for real
//     wait_until_expired(servers, secret.id);
//
// Thread safety: any thread may call these functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// Connects to the session a second time, with its id and password (16 bytes), and closes it; any program that knows
// both can do that. Returns when the server has confirmed the close. The client learns of it when it next talks to a
// server. Tries the servers of "host:port,host:port[/chroot]" one after another. Throws std::runtime_error if none
// answers before the deadline, if the session is gone, or if the password is wrong.
void close_session(const std::string& connect_string, std::int64_t session_id,
                   std::string_view password, test_deadline until = {});

// Returns whether a server that runs and is not paused still knows the session or one of its ephemeral znodes. True
// also if no server can tell, for example while they elect a leader.
[[nodiscard]] bool session_alive(const ensemble& servers, std::int64_t session_id);

// Waits until session_alive() is false. Throws std::runtime_error at the deadline.
void wait_until_expired(const ensemble& servers, std::int64_t session_id, test_deadline until = {});

}  // namespace turnstile::testing
