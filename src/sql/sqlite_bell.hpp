// SPDX-License-Identifier: Apache-2.0
// sqlite_bell: wakes a session of a SQLite file through inotify (file_bells.hpp). Three events wake the session:
// - Another session changes the times of this session's file.
// - Another process ends.
// - A component of the database file's path is renamed, or its rights change.
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

    // `path`: the path of the database file. Throws std::system_error.
    void open(const std::string& path, const session_files& sessions, std::int64_t session);
    void close() noexcept;
    // True if a component of the file's path was renamed, or its rights changed, since the last call.
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
