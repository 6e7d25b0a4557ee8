// SPDX-License-Identifier: Apache-2.0
// guardian_settings: whether a guardian process ends this process's sessions as soon as this process is dead.
//
// Without a guardian, the locks of a killed process stay taken for the session timeout. Use one to free them in
// milliseconds, on ZooKeeper, Redis, PostgreSQL and MariaDB.
//
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181", {.guardian = {.use = turnstile::guardian_use::started}}};
//
// The guardian is a small process that knows the sessions, and closes them once this process has ended in any way. A
// stopped process has not ended, and keeps its sessions. If the guardian is gone or slow, the session timeout applies
// as before: the log has a line about it, and the client continues. How to use it: docs/how-to/guardian.md. Why it is
// safe: docs/why/guardian.md.
//
// Other servers need none, and ignore the setting. `sqlite:` frees the locks of a dead process by itself (with
// `inherited` after the guardian has seen the end). `local:` locks end with the process.
//
// On Redis, PostgreSQL and MariaDB the guardian gets the connect string, with its password. The program
// turnstile-session-end, which is installed beside the guardian, ends the session with the library's module.
//
// Thread safety: values.
#pragma once

#include <string>

#include "turnstile/language.hpp"

namespace turnstile {

// Name of the environment variable that says where the guardian of this process is: the path of the guardian's socket,
// or "fd:7" for a descriptor of this process that is connected to it. Programs that a process starts inherit the
// variable.
inline constexpr const char* k_guardian_variable = "TURNSTILE_GUARDIAN";

// The origin of the guardian of this process.
enum class guardian_use {
    off,
    // The guardian that started this process, as in `turnstile-guardian -- my-service`; none if no guardian started it.
    inherited,
    // The guardian that started this process. If no guardian started it, the library starts one.
    started,
};

// The present state of the guardian (client::counters()): whether this process's locks are free at once if it crashes.
enum class guardian_state {
    off,  // no guardian is configured
    // The locks are free at once: a guardian knows all sessions, or the servers need none (SQLite, in memory).
    guarded,
    // The locks stay taken for the session timeout: there is no guardian, or it is gone, missed a message, or lacks the
    // module of these servers.
    unguarded,
};

// The settings of the guardian.
struct guardian_settings {
    // The origin of the guardian of this process.
    guardian_use use = guardian_use::off;
    // The path of the program turnstile-guardian. Empty: in the tree in which the shared library is installed (with a
    // static library: in which the program is installed), or else where the library was configured to install it. The
    // library ignores a guardian in its tree that belongs to a user other than root and this process's.
    std::string program{};
};

}  // namespace turnstile
