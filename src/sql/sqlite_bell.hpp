// SPDX-License-Identifier: Apache-2.0
// sqlite_bell: wakes a session in SQLite, through inotify (file_bells.hpp). Other sessions ring the bell at the
// session's file. The kernel also reports the ends of other processes, and changes of the names on the way to the
// database's file.
//
// Thread safety: one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/wake_up.hpp"
#include "sql/database.hpp"
#include "sql/file_bells.hpp"
#include "sql/session_files.hpp"

namespace turnstile::sql {

class sqlite_bell {
public:
    sqlite_bell() = default;
    ~sqlite_bell() { close(); }
    sqlite_bell(const sqlite_bell&) = delete;
    sqlite_bell& operator=(const sqlite_bell&) = delete;

    // Throws std::system_error. `path`: the path of the database's file.
    void open(const std::string& path, const session_files& sessions, std::int64_t session);
    void close() noexcept;
    // True if a name on the way to the file, or its rights, changed since the last call.
    [[nodiscard]] bool take_renamed() noexcept { return renamed_.exchange(false); }
    // Implements database::wait.
    [[nodiscard]] database::woken wait(int caller, boottime_clock::time_point until);

private:
    base::wake_up rung_;
    std::atomic<bool> departure_{false};
    std::atomic<bool> renamed_{false};
    std::shared_ptr<file_bells> bells_;
    std::vector<file_bells::token> heard_;
};

}  // namespace turnstile::sql
