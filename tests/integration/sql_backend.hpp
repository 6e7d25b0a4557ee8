// SPDX-License-Identifier: Apache-2.0
// The database for the tests of SQL servers. The build compiles these tests once for each kind of database.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "support.hpp"

namespace turnstile::tests {

// Returns the connect string of the test program's database.
[[nodiscard]] std::string database();

// Runs SQL as an administrator. Returns a line for each row of the result.
std::string run_sql(const std::string& text);

// A session timeout that is longer than any test, so no lock becomes free by a timeout.
inline constexpr std::chrono::hours k_for_ever{1};

inline client_options database_options(std::chrono::milliseconds session_timeout = 10s) {
    client_options options;
    options.session_timeout = session_timeout;
    options.retry_first = 10ms;
    options.retry_longest = 200ms;
    return options;
}

inline std::unique_ptr<client> connect_to_database(
    std::chrono::milliseconds session_timeout = 10s) {
    return connect(database(), database_options(session_timeout));
}

// Returns a coordinator's diagnosis for the connect string `where`.
[[nodiscard]] std::string diagnosis_of(const std::string& where);

}  // namespace turnstile::tests
