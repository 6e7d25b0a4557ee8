// SPDX-License-Identifier: Apache-2.0
// session_secret: what lets another process close a client's session.
//
// Purpose: a supervisor that knows that this process is gone can end its session at once, and need not wait for the
// time-out; a test can take the session away.
//
//     const auto secret = turnstile::secret_of(servers);
//     turnstile::testing::close_session(hosts, secret.id, secret.password);
//
// Secret: with it any program that reaches the servers can attach to the session, close it, and delete what it owns.
// Hand it to the supervisor alone, and write it into no log.
//
// Thread safety: from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

class client;

struct session_secret {
    std::int64_t id = 0;     // 0 while there is no session
    std::string password{};  // 16 bytes, or none
};

// The secret of the client's session `index`; a session in its place has another.
[[nodiscard]] TURNSTILE_EXPORT session_secret secret_of(const client& servers,
                                                        std::size_t index = 0);

}  // namespace turnstile
