// SPDX-License-Identifier: Apache-2.0
// The connect string of the situations: the environment variable TURNSTILE_SERVERS, or "local:", which needs no server
// and serves one process.
#pragma once

#include <cstdlib>

inline const char* connect_string() {
    const char* named = std::getenv("TURNSTILE_SERVERS");
    return named != nullptr ? named : "local:";
}
