// SPDX-License-Identifier: Apache-2.0
// Actions of tests on a database server. The build compiles the tests with this header once for each kind of server.
#pragma once

#include <memory>
#include <string>

#include "sql_backend.hpp"

namespace turnstile::tests {

void kill_server();
void start_server();
void pause_server();
void resume_server();
// Cuts the connections of all sessions. Ignores errors for connections that end by themselves at the same time.
void cut_connections();

// The connection on which the user's program checks its holds in transactions.
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
