// SPDX-License-Identifier: Apache-2.0
// session_secret: the id and password with which another process can close a client's session.
//
// Use it to let a supervisor end the session as soon as this process has died, before the session timeout; or in a test
// that takes the session away from the client.
//
//     const auto secret = turnstile::secret_of(servers);
//     turnstile::testing::close_session(hosts, secret.id, secret.password);
//
// Keep id and password secret. Any program that has them and can reach the servers can connect to the session, and so
// close it, which deletes its znodes. Pass them only to the supervisor, and do not write them to a log.
//
// Thread safety: any thread may call secret_of().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

class client;

// The id and password of a session.
struct session_secret {
    std::int64_t id = 0;     // 0 if there is no session
    std::string password{};  // 16 bytes, or empty
};

// Returns the id and password of the client's session with this index. If the client replaces the session later, the
// new session has a different secret.
[[nodiscard]] TURNSTILE_EXPORT session_secret secret_of(const client& servers,
                                                        std::size_t index = 0);

}  // namespace turnstile
