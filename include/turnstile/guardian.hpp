// SPDX-License-Identifier: Apache-2.0
// guardian_settings: whether a guardian ends this process's sessions as soon as the process is dead.
//
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181", {.guardian = {.use = turnstile::guardian_use::started}}};
//
// It is for ZooKeeper. With a connect string of another kind of server the setting does nothing: `sqlite:` frees the
// locks of a dead process by itself (with `inherited` once the guardian has seen the end), `local:` locks end with the
// process, and Redis, PostgreSQL and MariaDB free them after the session time-out, of which `started` there is reminded
// by a warning in the log.
//
// Without a guardian the locks of a process that was killed stay taken for the session time-out. The guardian is a small
// process that knows the sessions and closes them once the process has ended, in whatever way; a process that is
// stopped has not ended, and keeps them. Where there is no guardian any more, or it lags, the time-out stands as
// before: a line in the log says so, and the client goes on. How to use it: docs/how-to/guardian.md; why it is safe:
// docs/why/guardian.md.
#pragma once

#include <string>

#include "turnstile/language.hpp"

namespace turnstile {

enum class guardian_use {
    off,
    inherited,  // the one that started this process: `turnstile-guardian -- my-service`; without it: none
    started,  // the one that started this process; without it, one is started for this process
};

// What a crash of this process costs its locks, as things are now (client::counters()).
enum class guardian_state {
    off,      // no guardian was asked for
    guarded,  // they are free at once: a guardian knows all sessions, or the servers need none (SQLite, in memory)
    unguarded,  // they stay taken for the session time-out: there is no guardian, it is gone, or it missed a message
};

struct guardian_settings {
    guardian_use use = guardian_use::off;
    // The path of turnstile-guardian; empty: where the library was configured to install it.
    std::string program{};
};

}  // namespace turnstile
