// SPDX-License-Identifier: Apache-2.0
// guardian_settings: decides whether a guardian process ends this process's sessions as soon as this process has died.
//
// Without a guardian, the locks of a killed process stay held for the session timeout. Use a guardian to free them
// within milliseconds, on ZooKeeper, Redis, PostgreSQL and MariaDB.
//
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181", {.guardian = {.use = turnstile::guardian_use::started}}};
//
// The guardian is a small process that knows the sessions of this process, and closes them when this process has ended,
// for any reason. A stopped process has not ended, and keeps its sessions. If the guardian is gone or slow, the session
// timeout applies as without a guardian: the client writes a line to the log, and continues. How to use a guardian:
// docs/how-to/guardian.md. Why a guardian is safe: docs/why/guardian.md.
//
// The other kinds of servers need no guardian. `local:` locks end with the process. On `sqlite:` the kernel frees the
// locks when the process dies. Exception: with `inherited`, if a guardian started this process, the locks stay held
// until that guardian has seen the process's end.
//
// On Redis, PostgreSQL and MariaDB the guardian gets the connect string, including its password. To end a session, the
// guardian runs the program turnstile-session-end, which is installed beside the guardian. That program uses the
// library's module for these servers.
//
// Thread safety: values.
#pragma once

#include <string>

#include "turnstile/language.hpp"

namespace turnstile {

// Name of the environment variable by which this process finds its guardian. Its value is the path of the guardian's
// socket, or "fd:7" for a descriptor of this process that is connected to the guardian. Programs that a process starts
// inherit the variable.
inline constexpr const char* k_guardian_variable = "TURNSTILE_GUARDIAN";

// Decides which guardian this process uses, if any.
enum class guardian_use {
    off,
    // The guardian that started this process, as in `turnstile-guardian -- my-service`. If no guardian started this
    // process, the process has none.
    inherited,
    // The guardian that started this process. If no guardian started this process, the library starts a guardian.
    started,
};

// The present state of the guardian, from client::counters(). The state shows whether this process's locks become free
// at once if this process crashes.
enum class guardian_state {
    off,  // no guardian is configured
    // After a crash of this process its locks are free at once: a guardian knows all sessions, or the servers need no
    // guardian (SQLite, in memory).
    guarded,
    // After a crash of this process its locks stay held for the session timeout: there is no guardian; or the guardian
    // is gone, missed a message, or lacks the module for these servers.
    unguarded,
};

// The settings of the guardian.
struct guardian_settings {
    // Decides which guardian this process uses, if any.
    guardian_use use = guardian_use::off;
    // The path of the program turnstile-guardian. Empty: the library looks for the program in the directory tree in
    // which the shared library is installed (with a static library: the tree in which the user's program is installed).
    // If turnstile-guardian is not there, the library uses the path that was configured when the library was built. A
    // turnstile-guardian in that tree must belong to root or to this process's user; the library ignores any other.
    std::string program{};
};

}  // namespace turnstile
