// SPDX-License-Identifier: Apache-2.0
// Actions on the shared server, for databases that run as a server. The build compiles these tests once for each kind.
#pragma once

#include <memory>
#include <string>

#include "sql_backend.hpp"

namespace turnstile::tests {

void kill_server();
void start_server();
void pause_server();
void resume_server();
// Cuts the connections of all sessions. Ignores connections that end meanwhile.
void cut_connections();

// A connection of the user's program. The program checks its holds in transactions on that connection.
class user_connection {
public:
    user_connection() = default;
    virtual ~user_connection() = default;
    user_connection(const user_connection&) = delete;
    user_connection& operator=(const user_connection&) = delete;
    virtual void run(const std::string& text) = 0;
    [[nodiscard]] virtual result<void> check(const guard& hold) = 0;
};
[[nodiscard]] std::unique_ptr<user_connection> connect_user();

}  // namespace turnstile::tests
