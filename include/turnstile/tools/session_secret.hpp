// SPDX-License-Identifier: Apache-2.0
// session_secret: the id and password with which another process can close a client's session.
//
// Use it for a supervisor, which can end the session at once when this process is dead, and does not wait for the
// session timeout; or in a test that takes the session away.
//
//     const auto secret = turnstile::secret_of(servers);
//     turnstile::testing::close_session(hosts, secret.id, secret.password);
//
// Keep it secret. Any program that has it and reaches the servers can connect to the session, close it, and delete its
// znodes. Give it only to the supervisor, and write it to no log.
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
    std::int64_t id = 0;     // 0 without a session
    std::string password{};  // 16 bytes, or empty
};

// Returns the secret of the client's session with this index. A session that replaces it has a different secret.
[[nodiscard]] TURNSTILE_EXPORT session_secret secret_of(const client& servers,
                                                        std::size_t index = 0);

}  // namespace turnstile
