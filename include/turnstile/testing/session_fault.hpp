// SPDX-License-Identifier: Apache-2.0
// session_fault: takes a session away from its client.
//
// Use close_session() to end a session at once. To let a session expire, stop its connection in a tcp_proxy and wait:
//
//     const auto secret = turnstile::secret_of(client);                 // session_secret.hpp
//     close_session(servers.connect_string(), secret.id, secret.password);  // ends the session at once
//
//     proxy.black_hole();                                               // or lets the session expire
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

// Connects to the session a second time, with its id and password (16 bytes), and closes the session. Returns when the
// server has confirmed the close. The session's client learns of the close from its next exchange with a server. The
// function tries the servers of `connect_string` ("host:port,host:port[/chroot]") one after another. Throws
// std::runtime_error if no server answers before the deadline, if the session is gone, or if the password is wrong.
void close_session(const std::string& connect_string, std::int64_t session_id,
                   std::string_view password, test_deadline until = {});

// Returns whether a server that runs and is not paused still has the session or one of its ephemeral znodes. Also
// returns true if no server can answer, for example while the servers elect a leader.
[[nodiscard]] bool session_alive(const ensemble& servers, std::int64_t session_id);

// Waits until session_alive() is false. Throws std::runtime_error at the deadline.
void wait_until_expired(const ensemble& servers, std::int64_t session_id, test_deadline until = {});

}  // namespace turnstile::testing
